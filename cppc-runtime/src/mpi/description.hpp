/// What a communicator is, apart from the processes behind its ranks: enough to make it again in another world.
#pragma once

#include <mpi.h>

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "bytes.hpp"
#include "cppc/status.h"
#include "mpi/error_handlers.hpp"
#include "mpi/infos.hpp"
#include "mpi/mpi_objects.hpp"
#include "mpi/topology.hpp"

namespace cppc::mpi {

/// What the program can set on a communicator at any time.
struct Settings {
  std::string name;
  ErrorSetting error_handler;
  Hints hints;

  static Settings of(MPI_Comm comm);
  void apply(MPI_Comm comm) const;

  /// Only when the error handler is portable().
  void write(ByteWriter& writer) const;
  static Settings read(ByteReader& reader);
};

struct Description {
  Settings settings;
  std::vector<int> members;  ///< ranks in the world, in the order of the ranks in the communicator
  std::vector<int> remote;   ///< likewise, the remote group of an intercommunicator; otherwise empty
  Topology topology;

  static Description of(MPI_Comm comm, const Group& world);

  /// Makes the communicator. Collective over its members only, so that processes that do not have it need not know of
  /// it. CPPC_ERR_MPI, logged.
  [[nodiscard]] tl::expected<MPI_Comm, cppc_status> make(MPI_Comm world) const;

  void write(ByteWriter& writer) const;

  /// Of `rank` in a world of `size`; fails the reader when it is none.
  static Description read(ByteReader& reader, int rank, int size);
};

/// How messages name a communicator: by its name if it has one.
std::string communicator_name(std::size_t index, const std::string& name);

}  // namespace cppc::mpi
