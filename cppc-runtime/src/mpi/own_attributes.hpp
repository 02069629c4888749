/// Attributes that the program caches on communicators, windows and datatypes, and their keys. MPI's own would go with
/// the real objects, so under an extension they are kept here, under the program's handles; what the program's
/// functions are called with is the same. Keys and attributes are blocks of the tracked heap: the runtime carries them
/// over as it does the program's own objects, pointers included.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "bytes.hpp"
#include "cppc/cppc.h"
#include "cppc/status.h"

namespace cppc::mpi {

template <class Object>
struct KeptKey;
template <class Object>
struct KeptAttribute;

/// The numbers of the blocks; attributes in the order in which they were set.
struct AttributeBlocks {
  std::vector<std::uint64_t> keys, attributes;
};

/// Of the blocks.
extern const std::array<const cppc_type*, 6> attribute_block_types;

/// Whether `key` is, or was, one that OwnAttributes gave, for objects of whatever kind.
[[nodiscard]] inline bool is_own_key(int key) { return key >= 1 << 20; }  // MPI's own are far below

/// `Object`: MPI_Comm, MPI_Win or MPI_Datatype.
template <class Object>
class OwnAttributes {
 public:
  using Copy = int(Object, int, void*, void*, void*, int*);
  using Delete = int(Object, int, void*, void*);

  int create_key(Copy* copy, Delete* erase, int* key, void* extra);
  int free_key(int* key);

  /// Of own keys. MPI_ERR_KEYVAL for one that is no more.
  int set(Object object, int key, void* value);
  int get(Object object, int key, void* value, int* found) const;
  int erase(Object object, int key);

  /// `to` has just been made from `from`, by duplication. What the program's functions return.
  int copy_all(Object from, Object to);

  /// `object` is about to be freed. Latest first. What the program's functions return.
  int erase_all(Object object);

  [[nodiscard]] AttributeBlocks blocks() const;
  /// In a replacement, once the heap is restored: takes over the blocks, in place of what there is. CPPC_ERR_IMAGE,
  /// logged.
  cppc_status adopt(const AttributeBlocks& blocks);

 private:
  using Key = KeptKey<Object>;
  using Attribute = KeptAttribute<Object>;
  using List = std::vector<Attribute*>;
  [[nodiscard]] Key* find_key(int key) const;
  [[nodiscard]] List::const_iterator find(Object object, int key) const;
  int erase_at(List::const_iterator place);
  void release(int key);

  std::map<int, Key*> keys_;
  List attributes_;  // in the order in which they were set
};

template <class Object>
OwnAttributes<Object>& own_attributes();

/// What these functions return, where the error belongs to no communicator or window.
int raise_of_world(int status);

void write(const AttributeBlocks& blocks, ByteWriter& writer);
AttributeBlocks read_attributes(ByteReader& reader);

}  // namespace cppc::mpi
