/// Attributes that the program caches on communicators, and their keys. MPI's own would go with the real communicators,
/// so under an extension they are kept here, under the program's handles; what the program's functions are called with
/// is the same. Keys and attributes are blocks of the tracked heap: the runtime carries them over as it does the
/// program's own objects, pointers included.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <vector>

#include "bytes.hpp"
#include "cppc/status.h"

namespace cppc::mpi {

struct KeptKey;
struct KeptAttribute;

/// The numbers of the blocks; attributes in the order in which they were set.
struct AttributeBlocks {
  std::vector<std::uint64_t> keys, attributes;
};

class OwnAttributes {
 public:
  /// Whether `key` is, or was, one that create_key() gave.
  [[nodiscard]] static bool is_own(int key) { return key >= first_key; }

  int create_key(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* erase, int* key, void* extra);
  int free_key(int* key);

  /// Of own keys. MPI_ERR_KEYVAL for one that is no more.
  int set(MPI_Comm comm, int key, void* value);
  int get(MPI_Comm comm, int key, void* value, int* found) const;
  int erase(MPI_Comm comm, int key);

  /// `to` has just been made from `from`, by duplication. What the program's functions return.
  int copy_all(MPI_Comm from, MPI_Comm to);

  /// `comm` is about to be freed. Latest first. What the program's functions return.
  int erase_all(MPI_Comm comm);

  [[nodiscard]] AttributeBlocks blocks() const;
  static void write(const AttributeBlocks& blocks, ByteWriter& writer);
  static AttributeBlocks read(ByteReader& reader);

  /// In a replacement, once the heap is restored: takes over the blocks, in place of what there is. CPPC_ERR_IMAGE,
  /// logged.
  cppc_status adopt(const AttributeBlocks& blocks);

 private:
  static constexpr int first_key = 1 << 20;  // MPI's own are far below

  using List = std::vector<KeptAttribute*>;
  [[nodiscard]] KeptKey* find_key(int key) const;
  [[nodiscard]] List::const_iterator find(MPI_Comm comm, int key) const;
  int erase(List::const_iterator place);
  void release(int key);

  std::map<int, KeptKey*> keys_;
  List attributes_;  // in the order in which they were set
};

OwnAttributes& own_attributes();

}  // namespace cppc::mpi
