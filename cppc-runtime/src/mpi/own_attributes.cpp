#include "mpi/own_attributes.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "address/program_time.hpp"
#include "cppc/cppc.h"
#include "log.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/kept.hpp"
#include "never_destroyed.hpp"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // MPI 1's functions that copy or delete

namespace cppc::mpi {

namespace {

/// What differs between the kinds of objects. Keys of one kind are none of another.
template <class Object>
struct Kind;

template <>
struct Kind<MPI_Comm> {
  static constexpr int first_key = 1 << 20;
  static constexpr const cppc_type& handle = cppc_type_mpi_comm;
  static constexpr std::array nothing_copied{MPI_COMM_NULL_COPY_FN, OMPI_C_MPI_NULL_COPY_FN};
  static constexpr std::array value_copied{MPI_COMM_DUP_FN, OMPI_C_MPI_DUP_FN};
  static constexpr std::array nothing_deleted{MPI_COMM_NULL_DELETE_FN, OMPI_C_MPI_NULL_DELETE_FN};
};

template <>
struct Kind<MPI_Win> {
  static constexpr int first_key = 2 << 20;
  static constexpr const cppc_type& handle = cppc_type_mpi_win;
  static constexpr std::array nothing_copied{MPI_WIN_NULL_COPY_FN};
  static constexpr std::array value_copied{MPI_WIN_DUP_FN};
  static constexpr std::array nothing_deleted{MPI_WIN_NULL_DELETE_FN};
};

template <>
struct Kind<MPI_Datatype> {
  static constexpr int first_key = 3 << 20;
  static constexpr const cppc_type& handle = cppc_type_mpi_datatype;
  static constexpr std::array nothing_copied{MPI_TYPE_NULL_COPY_FN};
  static constexpr std::array value_copied{MPI_TYPE_DUP_FN};
  static constexpr std::array nothing_deleted{MPI_TYPE_NULL_DELETE_FN};
};

/// What the program gave as a pointer: one, or a number.
struct KeptPointer {
  void* pointer;
  unsigned long number;

  static KeptPointer of(void* value) {
    // No object lies below (vm.mmap_min_addr), nor in the upper half of the address space; of 4 bytes, in the last
    // page.
    const auto number = reinterpret_cast<std::uintptr_t>(value);
    constexpr std::uint64_t above = sizeof(void*) == 8 ? std::uint64_t{1} << 47 : 0xffff'f000;
    const bool is_number = number < 65536 || number >= above;
    return {.pointer = is_number ? nullptr : value, .number = is_number ? number : 0};
  }
  [[nodiscard]] void* value() const { return pointer != nullptr ? pointer : reinterpret_cast<void*>(number); }
};

enum CopyKind : unsigned char { copies_nothing, copies_value, copies_by_function };

bool among(const auto& functions, auto* function) { return std::ranges::find(functions, function) != functions.end(); }

template <class Object>
CopyKind kind_of(typename OwnAttributes<Object>::Copy* copy) {
  if (copy == nullptr || among(Kind<Object>::nothing_copied, copy)) return copies_nothing;
  return among(Kind<Object>::value_copied, copy) ? copies_value : copies_by_function;
}

}  // namespace

template <class Object>
struct KeptKey {
  OwnAttributes<Object>::Copy* copy;  ///< null unless it copies by function
  OwnAttributes<Object>::Delete* erase;
  KeptPointer extra;
  int key;
  int uses;  ///< by the program until it frees the key, and by attributes
  CopyKind copies;
  bool freed;
};

template <class Object>
struct KeptAttribute {
  KeptPointer value;
  Object object;
  int key;
};

namespace {

constexpr std::array pointer_fields{cppc_field{"pointer", offsetof(KeptPointer, pointer), &cppc_type_pointer, 1},
                                    cppc_field{"number", offsetof(KeptPointer, number), &cppc_type_unsigned_long, 1}};
constexpr cppc_type pointer_type = {CPPC_STRUCT, sizeof(KeptPointer), "attribute value", pointer_fields.data(),
                                    pointer_fields.size()};

template <class Key>
constexpr std::array key_fields{cppc_field{"copy", offsetof(Key, copy), &cppc_type_function, 1},
                                cppc_field{"erase", offsetof(Key, erase), &cppc_type_function, 1},
                                cppc_field{"extra", offsetof(Key, extra), &pointer_type, 1},
                                cppc_field{"key", offsetof(Key, key), &cppc_type_int, 1},
                                cppc_field{"uses", offsetof(Key, uses), &cppc_type_int, 1},
                                cppc_field{"copies", offsetof(Key, copies), &cppc_type_unsigned_char, 1},
                                cppc_field{"freed", offsetof(Key, freed), &cppc_type_bool, 1}};
template <class Key>
constexpr cppc_type key_type = {CPPC_STRUCT, sizeof(Key), "attribute key", key_fields<Key>.data(),
                                key_fields<Key>.size()};

template <class Object, class Attribute = KeptAttribute<Object>>
constexpr std::array attribute_fields{cppc_field{"value", offsetof(Attribute, value), &pointer_type, 1},
                                      cppc_field{"object", offsetof(Attribute, object), &Kind<Object>::handle, 1},
                                      cppc_field{"key", offsetof(Attribute, key), &cppc_type_int, 1}};
template <class Object>
constexpr cppc_type attribute_type = {CPPC_STRUCT, sizeof(KeptAttribute<Object>), "attribute",
                                      attribute_fields<Object>.data(), attribute_fields<Object>.size()};

template <class Object>
KeptAttribute<Object>* attribute_of(Object object, int key, void* value) {
  return keep(attribute_type<Object>,
              KeptAttribute<Object>{.value = KeptPointer::of(value), .object = object, .key = key});
}

std::vector<std::uint64_t> read_blocks(ByteReader& reader) {
  std::vector<std::uint64_t> blocks(reader.count(sizeof(std::uint64_t)));
  for (std::uint64_t& block : blocks) block = reader.u64();
  return blocks;
}

}  // namespace

const std::array<const cppc_type*, 6> attribute_block_types{
    &key_type<KeptKey<MPI_Comm>>, &key_type<KeptKey<MPI_Win>>, &key_type<KeptKey<MPI_Datatype>>,
    &attribute_type<MPI_Comm>,    &attribute_type<MPI_Win>,    &attribute_type<MPI_Datatype>};

template <class Object>
int OwnAttributes<Object>::create_key(Copy* copy, Delete* erase, int* key, void* extra) {
  int number = Kind<Object>::first_key;
  for (const auto& [used, kept] : keys_) {
    if (used != number) break;
    ++number;
  }
  const CopyKind copies = kind_of<Object>(copy);
  keys_[number] = keep(key_type<Key>, Key{.copy = copies == copies_by_function ? copy : nullptr,
                                          .erase = among(Kind<Object>::nothing_deleted, erase) ? nullptr : erase,
                                          .extra = KeptPointer::of(extra),
                                          .key = number,
                                          .uses = 1,
                                          .copies = copies,
                                          .freed = false});
  *key = number;
  return MPI_SUCCESS;
}

template <class Object>
KeptKey<Object>* OwnAttributes<Object>::find_key(int key) const {
  const auto found = keys_.find(key);
  return found != keys_.end() ? found->second : nullptr;
}

template <class Object>
OwnAttributes<Object>::List::const_iterator OwnAttributes<Object>::find(Object object, int key) const {
  return std::ranges::find_if(attributes_,
                              [&](const Attribute* one) { return one->object == object && one->key == key; });
}

/// One use less.
template <class Object>
void OwnAttributes<Object>::release(int key) {
  Key* const kept = find_key(key);
  if (--kept->uses > 0) return;
  release_carried(kept);
  keys_.erase(key);
}

template <class Object>
int OwnAttributes<Object>::free_key(int* key) {
  Key* const kept = find_key(*key);
  if (kept == nullptr) return MPI_ERR_KEYVAL;
  if (!std::exchange(kept->freed, true)) release(*key);  // in use, it may be freed again through a copy of its number
  *key = MPI_KEYVAL_INVALID;
  return MPI_SUCCESS;
}

template <class Object>
int OwnAttributes<Object>::set(Object object, int key, void* value) {
  const Key* const kept = find_key(key);
  if (kept == nullptr || kept->freed) return MPI_ERR_KEYVAL;
  if (const auto before = find(object, key); before != attributes_.end())
    if (const int status = erase_at(before); status != MPI_SUCCESS) return status;
  attributes_.push_back(attribute_of(object, key, value));
  ++find_key(key)->uses;
  return MPI_SUCCESS;
}

template <class Object>
int OwnAttributes<Object>::get(Object object, int key, void* value, int* found) const {
  if (find_key(key) == nullptr) return MPI_ERR_KEYVAL;
  const auto place = find(object, key);
  *found = place != attributes_.end();
  if (*found == 0) return MPI_SUCCESS;
  void* const kept = (*place)->value.value();
  std::memcpy(value, static_cast<const void*>(&kept), sizeof kept);
  return MPI_SUCCESS;
}

template <class Object>
int OwnAttributes<Object>::erase_at(List::const_iterator place) {
  Attribute* const attribute = *place;
  const Key& key = *find_key(attribute->key);
  if (key.erase != nullptr) {
    const address::InsideProgram program;
    const int status = key.erase(attribute->object, attribute->key, attribute->value.value(), key.extra.value());
    if (status != MPI_SUCCESS) return status;
  }
  std::erase(attributes_, attribute);  // the function may have set or erased others
  release(attribute->key);
  release_carried(attribute);
  return MPI_SUCCESS;
}

template <class Object>
int OwnAttributes<Object>::erase(Object object, int key) {
  const Key* const kept = find_key(key);
  if (kept == nullptr) return MPI_ERR_KEYVAL;
  const auto place = find(object, key);
  return place != attributes_.end() ? erase_at(place) : MPI_SUCCESS;
}

template <class Object>
int OwnAttributes<Object>::copy_all(Object from, Object to) {
  const List before = attributes_;
  for (const Attribute* attribute : before) {
    if (attribute->object != from) continue;
    const Key& key = *find_key(attribute->key);
    void* value = attribute->value.value();
    int copied = key.copies == copies_value;
    if (key.copies == copies_by_function) {
      const address::InsideProgram program;
      const int status = key.copy(from, attribute->key, key.extra.value(), value, static_cast<void*>(&value), &copied);
      if (status != MPI_SUCCESS) return status;
    }
    if (copied == 0) continue;
    attributes_.push_back(attribute_of(to, attribute->key, value));
    ++find_key(attribute->key)->uses;
  }
  return MPI_SUCCESS;
}

template <class Object>
int OwnAttributes<Object>::erase_all(Object object) {
  for (;;) {
    const auto latest = std::ranges::find(attributes_.rbegin(), attributes_.rend(), object, &Attribute::object);
    if (latest == attributes_.rend()) return MPI_SUCCESS;
    if (const int status = erase_at(std::prev(latest.base())); status != MPI_SUCCESS) return status;
  }
}

template <class Object>
AttributeBlocks OwnAttributes<Object>::blocks() const {
  AttributeBlocks all;
  if (keys_.empty()) return all;
  const BlockNumbers numbers;
  for (const auto& [key, kept] : keys_) all.keys.push_back(numbers.of(kept));
  for (const Attribute* attribute : attributes_) all.attributes.push_back(numbers.of(attribute));
  return all;
}

int raise_of_world(int status) {
  if (status != MPI_SUCCESS) PMPI_Comm_call_errhandler(comms.real(MPI_COMM_WORLD, __func__), status);
  return status;
}

void write(const AttributeBlocks& blocks, ByteWriter& writer) {
  for (const auto* list : {&blocks.keys, &blocks.attributes}) {
    writer.u64(list->size());
    for (const std::uint64_t block : *list) writer.u64(block);
  }
}

AttributeBlocks read_attributes(ByteReader& reader) {
  AttributeBlocks blocks{.keys = read_blocks(reader), .attributes = {}};
  blocks.attributes = read_blocks(reader);
  return blocks;
}

template <class Object>
cppc_status OwnAttributes<Object>::adopt(const AttributeBlocks& blocks) {
  keys_.clear();
  attributes_.clear();
  if (blocks.keys.empty() && blocks.attributes.empty()) return CPPC_OK;
  const BlockNumbers numbers;
  for (const std::uint64_t number : blocks.keys) {
    auto* const key = numbers.at<Key>(number, key_type<Key>);
    if (key == nullptr) return CPPC_ERR_IMAGE;
    if (key->copies > copies_by_function || (key->copies == copies_by_function) != (key->copy != nullptr)) {
      log().error("heap/{} in the image is no key of attributes", number);
      return CPPC_ERR_IMAGE;
    }
    keys_[key->key] = key;
  }
  for (const std::uint64_t number : blocks.attributes) {
    auto* const attribute = numbers.at<Attribute>(number, attribute_type<Object>);
    if (attribute == nullptr) return CPPC_ERR_IMAGE;
    if (find_key(attribute->key) == nullptr) {
      log().error("heap/{} in the image is an attribute without a key", number);
      return CPPC_ERR_IMAGE;
    }
    attributes_.push_back(attribute);
  }
  return CPPC_OK;
}

template class OwnAttributes<MPI_Comm>;
template class OwnAttributes<MPI_Win>;
template class OwnAttributes<MPI_Datatype>;

template <class Object>
OwnAttributes<Object>& own_attributes() {
  static NeverDestroyed<OwnAttributes<Object>> instance;
  return *instance;
}

template OwnAttributes<MPI_Comm>& own_attributes();
template OwnAttributes<MPI_Win>& own_attributes();
template OwnAttributes<MPI_Datatype>& own_attributes();

}  // namespace cppc::mpi
