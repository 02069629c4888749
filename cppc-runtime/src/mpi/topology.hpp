/// The virtual topology of a communicator: enough to give it to another one of the same processes.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <variant>
#include <vector>

#include "bytes.hpp"

namespace cppc::mpi {

struct Cartesian {
  std::vector<int> dims;
  std::vector<int> periods;
};

/// Of MPI_Graph_create: of all processes.
struct Graph {
  std::vector<int> index;
  std::vector<int> edges;
};

/// Of MPI_Dist_graph_create or MPI_Dist_graph_create_adjacent: of this process, in the order that MPI gives them.
struct DistributedGraph {
  bool weighted = false;
  std::vector<int> sources, source_weights;
  std::vector<int> destinations, destination_weights;
};

/// None, or one of these.
using Topology = std::variant<std::monostate, Cartesian, Graph, DistributedGraph>;

Topology topology_of(MPI_Comm comm);

/// Gives `comm` the topology, which is not none: *comm is freed, and becomes the one that has it. Collective. What MPI
/// returned; *call names the function.
int add_topology(const Topology& topology, MPI_Comm* comm, const char** call);

void write(const Topology& topology, ByteWriter& writer);

/// Of a communicator of `size` processes; fails the reader when it is none.
Topology read_topology(ByteReader& reader, std::size_t size);

}  // namespace cppc::mpi
