#include "mpi/own_attributes.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "cppc/cppc.h"
#include "heap.hpp"
#include "log.hpp"
#include "mpi/kept.hpp"
#include "never_destroyed.hpp"

namespace cppc::mpi {

namespace {

using Copy = MPI_Comm_copy_attr_function;
using Delete = MPI_Comm_delete_attr_function;

/// What the program gave as a pointer: one, or a number.
struct KeptPointer {
  void* pointer;
  unsigned long number;

  static KeptPointer of(void* value) {
    // No object lies below (vm.mmap_min_addr), nor in the upper half of the address space.
    const auto number = reinterpret_cast<std::uintptr_t>(value);
    const bool is_number = number < 65536 || number >> 47 != 0;
    return {.pointer = is_number ? nullptr : value, .number = is_number ? number : 0};
  }
  [[nodiscard]] void* value() const { return pointer != nullptr ? pointer : reinterpret_cast<void*>(number); }
};

enum CopyKind : unsigned char { copies_nothing, copies_value, copies_by_function };

CopyKind kind_of(Copy* copy) {
  if (copy == nullptr || copy == MPI_COMM_NULL_COPY_FN || copy == OMPI_C_MPI_NULL_COPY_FN) return copies_nothing;
  return copy == MPI_COMM_DUP_FN || copy == OMPI_C_MPI_DUP_FN ? copies_value : copies_by_function;
}

bool deletes_nothing(Delete* erase) {
  return erase == nullptr || erase == MPI_COMM_NULL_DELETE_FN || erase == OMPI_C_MPI_NULL_DELETE_FN;
}

}  // namespace

struct KeptKey {
  Copy* copy;  ///< null unless it copies by function
  Delete* erase;
  KeptPointer extra;
  int key;
  int uses;  ///< by the program until it frees the key, and by attributes
  CopyKind copies;
  bool freed;
};

struct KeptAttribute {
  KeptPointer value;
  MPI_Comm comm;
  int key;
};

namespace {

constexpr std::array pointer_fields{cppc_field{"pointer", offsetof(KeptPointer, pointer), &cppc_type_pointer, 1},
                                    cppc_field{"number", offsetof(KeptPointer, number), &cppc_type_unsigned_long, 1}};
constexpr cppc_type pointer_type = {CPPC_STRUCT, sizeof(KeptPointer), "attribute value", pointer_fields.data(),
                                    pointer_fields.size()};

constexpr std::array key_fields{cppc_field{"copy", offsetof(KeptKey, copy), &cppc_type_function, 1},
                                cppc_field{"erase", offsetof(KeptKey, erase), &cppc_type_function, 1},
                                cppc_field{"extra", offsetof(KeptKey, extra), &pointer_type, 1},
                                cppc_field{"key", offsetof(KeptKey, key), &cppc_type_int, 1},
                                cppc_field{"uses", offsetof(KeptKey, uses), &cppc_type_int, 1},
                                cppc_field{"copies", offsetof(KeptKey, copies), &cppc_type_unsigned_char, 1},
                                cppc_field{"freed", offsetof(KeptKey, freed), &cppc_type_bool, 1}};
constexpr cppc_type key_type = {CPPC_STRUCT, sizeof(KeptKey), "attribute key", key_fields.data(), key_fields.size()};

constexpr std::array attribute_fields{cppc_field{"value", offsetof(KeptAttribute, value), &pointer_type, 1},
                                      cppc_field{"comm", offsetof(KeptAttribute, comm), &cppc_type_mpi_comm, 1},
                                      cppc_field{"key", offsetof(KeptAttribute, key), &cppc_type_int, 1}};
constexpr cppc_type attribute_type = {CPPC_STRUCT, sizeof(KeptAttribute), "attribute", attribute_fields.data(),
                                      attribute_fields.size()};

std::vector<std::uint64_t> read_blocks(ByteReader& reader) {
  std::vector<std::uint64_t> blocks(reader.count(sizeof(std::uint64_t)));
  for (std::uint64_t& block : blocks) block = reader.u64();
  return blocks;
}

}  // namespace

int OwnAttributes::create_key(Copy* copy, Delete* erase, int* key, void* extra) {
  int number = first_key;
  for (const auto& [used, kept] : keys_) {
    if (used != number) break;
    ++number;
  }
  const CopyKind copies = kind_of(copy);
  keys_[number] = keep(key_type, KeptKey{.copy = copies == copies_by_function ? copy : nullptr,
                                         .erase = deletes_nothing(erase) ? nullptr : erase,
                                         .extra = KeptPointer::of(extra),
                                         .key = number,
                                         .uses = 1,
                                         .copies = copies,
                                         .freed = false});
  *key = number;
  return MPI_SUCCESS;
}

KeptKey* OwnAttributes::find_key(int key) const {
  const auto found = keys_.find(key);
  return found != keys_.end() ? found->second : nullptr;
}

OwnAttributes::List::const_iterator OwnAttributes::find(MPI_Comm comm, int key) const {
  return std::ranges::find_if(attributes_,
                              [&](const KeptAttribute* one) { return one->comm == comm && one->key == key; });
}

/// One use less.
void OwnAttributes::release(int key) {
  KeptKey* const kept = find_key(key);
  if (--kept->uses > 0) return;
  heap().release(kept);
  keys_.erase(key);
}

int OwnAttributes::free_key(int* key) {
  KeptKey* const kept = find_key(*key);
  if (kept == nullptr) return MPI_ERR_KEYVAL;
  if (!std::exchange(kept->freed, true)) release(*key);  // in use, it may be freed again through a copy of its number
  *key = MPI_KEYVAL_INVALID;
  return MPI_SUCCESS;
}

int OwnAttributes::set(MPI_Comm comm, int key, void* value) {
  const KeptKey* const kept = find_key(key);
  if (kept == nullptr || kept->freed) return MPI_ERR_KEYVAL;
  if (const auto before = find(comm, key); before != attributes_.end())
    if (const int status = erase(before); status != MPI_SUCCESS) return status;
  attributes_.push_back(keep(attribute_type, KeptAttribute{.value = KeptPointer::of(value), .comm = comm, .key = key}));
  ++find_key(key)->uses;
  return MPI_SUCCESS;
}

int OwnAttributes::get(MPI_Comm comm, int key, void* value, int* found) const {
  if (find_key(key) == nullptr) return MPI_ERR_KEYVAL;
  const auto place = find(comm, key);
  *found = place != attributes_.end();
  if (*found == 0) return MPI_SUCCESS;
  void* const kept = (*place)->value.value();
  std::memcpy(value, static_cast<const void*>(&kept), sizeof kept);
  return MPI_SUCCESS;
}

int OwnAttributes::erase(List::const_iterator place) {
  KeptAttribute* const attribute = *place;
  const KeptKey& key = *find_key(attribute->key);
  if (key.erase != nullptr) {
    const int status = key.erase(attribute->comm, attribute->key, attribute->value.value(), key.extra.value());
    if (status != MPI_SUCCESS) return status;
  }
  std::erase(attributes_, attribute);  // the function may have set or erased others
  release(attribute->key);
  heap().release(attribute);
  return MPI_SUCCESS;
}

int OwnAttributes::erase(MPI_Comm comm, int key) {
  const KeptKey* const kept = find_key(key);
  if (kept == nullptr) return MPI_ERR_KEYVAL;
  const auto place = find(comm, key);
  return place != attributes_.end() ? erase(place) : MPI_SUCCESS;
}

int OwnAttributes::copy_all(MPI_Comm from, MPI_Comm to) {
  const List before = attributes_;
  for (const KeptAttribute* attribute : before) {
    if (attribute->comm != from) continue;
    const KeptKey& key = *find_key(attribute->key);
    void* value = attribute->value.value();
    int copied = key.copies == copies_value;
    if (key.copies == copies_by_function) {
      const int status = key.copy(from, attribute->key, key.extra.value(), value, static_cast<void*>(&value), &copied);
      if (status != MPI_SUCCESS) return status;
    }
    if (copied == 0) continue;
    attributes_.push_back(
        keep(attribute_type, KeptAttribute{.value = KeptPointer::of(value), .comm = to, .key = attribute->key}));
    ++find_key(attribute->key)->uses;
  }
  return MPI_SUCCESS;
}

int OwnAttributes::erase_all(MPI_Comm comm) {
  for (;;) {
    const auto latest = std::ranges::find(attributes_.rbegin(), attributes_.rend(), comm, &KeptAttribute::comm);
    if (latest == attributes_.rend()) return MPI_SUCCESS;
    if (const int status = erase(std::prev(latest.base())); status != MPI_SUCCESS) return status;
  }
}

AttributeBlocks OwnAttributes::blocks() const {
  AttributeBlocks all;
  if (keys_.empty()) return all;
  const BlockNumbers numbers;
  for (const auto& [key, kept] : keys_) all.keys.push_back(numbers.of(kept));
  for (const KeptAttribute* attribute : attributes_) all.attributes.push_back(numbers.of(attribute));
  return all;
}

void OwnAttributes::write(const AttributeBlocks& blocks, ByteWriter& writer) {
  for (const auto* list : {&blocks.keys, &blocks.attributes}) {
    writer.u64(list->size());
    for (const std::uint64_t block : *list) writer.u64(block);
  }
}

AttributeBlocks OwnAttributes::read(ByteReader& reader) {
  AttributeBlocks blocks{.keys = read_blocks(reader), .attributes = {}};
  blocks.attributes = read_blocks(reader);
  return blocks;
}

cppc_status OwnAttributes::adopt(const AttributeBlocks& blocks) {
  keys_.clear();
  attributes_.clear();
  if (blocks.keys.empty() && blocks.attributes.empty()) return CPPC_OK;
  const BlockNumbers numbers;
  for (const std::uint64_t number : blocks.keys) {
    auto* const key = numbers.at<KeptKey>(number, key_type);
    if (key == nullptr) return CPPC_ERR_IMAGE;
    if (key->copies > copies_by_function || (key->copies == copies_by_function) != (key->copy != nullptr)) {
      log().error("heap/{} in the image is no key of attributes", number);
      return CPPC_ERR_IMAGE;
    }
    keys_[key->key] = key;
  }
  for (const std::uint64_t number : blocks.attributes) {
    auto* const attribute = numbers.at<KeptAttribute>(number, attribute_type);
    if (attribute == nullptr) return CPPC_ERR_IMAGE;
    if (find_key(attribute->key) == nullptr) {
      log().error("heap/{} in the image is an attribute without a key", number);
      return CPPC_ERR_IMAGE;
    }
    attributes_.push_back(attribute);
  }
  return CPPC_OK;
}

OwnAttributes& own_attributes() {
  static NeverDestroyed<OwnAttributes> instance;
  return *instance;
}

}  // namespace cppc::mpi
