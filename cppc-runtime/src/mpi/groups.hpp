/// Groups of the program. A group names processes, so under an extension it is made anew whenever a rank has moved.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "bytes.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/mpi_objects.hpp"
#include "mpi/virtual_table.hpp"

namespace cppc::mpi {

/// By index in the table, the ranks in the world.
using GroupMembers = std::vector<std::pair<std::size_t, std::vector<int>>>;

class Groups {
 public:
  using Table = VirtualTable<MPI_Group, MPI_Group>;

  /// The group that MPI knows. A freed handle gives nullptr, an invalid group to MPI.
  [[nodiscard]] MPI_Group real(MPI_Group group) {
    if (!Table::is_virtual(group)) return group;
    const MPI_Group* const found = table_.find(group);
    return found != nullptr ? *found : nullptr;
  }

  /// `make(MPI_Group*)` makes a group; the program gets a handle of the table for it in *out.
  template <class Make>
  int create(MPI_Group* out, Make make) {
    if (!comms.managed()) return make(out);
    MPI_Group made = MPI_GROUP_NULL;
    const int status = make(&made);
    if (status == MPI_SUCCESS) *out = made == MPI_GROUP_NULL || made == MPI_GROUP_EMPTY ? made : table_.add(made);
    return status;
  }

  /// For MPI_Group_free.
  int free(MPI_Group* group);

  [[nodiscard]] GroupMembers members(const Group& world);

  /// Puts groups of these processes, of `world`, into the table, in place of those that are there under the same index.
  void make(const GroupMembers& all, const Group& world);

  static void write(const GroupMembers& all, ByteWriter& writer);

  /// Of a world of `size`; fails the reader when they are none.
  static GroupMembers read(ByteReader& reader, int size);

 private:
  Table table_;
};

Groups& groups();

}  // namespace cppc::mpi
