#include "mpi/topology.hpp"

#include <algorithm>
#include <cstdint>

#include "mpi/mpi_objects.hpp"
#include "mpi/numbers.hpp"

namespace cppc::mpi {

namespace {

int length(const std::vector<int>& numbers) { return static_cast<int>(numbers.size()); }

std::vector<int> room(int count) { return std::vector<int>(static_cast<std::size_t>(count)); }

Cartesian cartesian_of(MPI_Comm comm) {
  int ndims = 0;
  must(PMPI_Cartdim_get(comm, &ndims), "MPI_Cartdim_get");
  Cartesian cartesian{.dims = room(ndims), .periods = room(ndims)};
  std::vector<int> coords = room(ndims);
  must(PMPI_Cart_get(comm, ndims, cartesian.dims.data(), cartesian.periods.data(), coords.data()), "MPI_Cart_get");
  return cartesian;
}

Graph graph_of(MPI_Comm comm) {
  int nodes = 0;
  int edges = 0;
  must(PMPI_Graphdims_get(comm, &nodes, &edges), "MPI_Graphdims_get");
  Graph graph{.index = room(nodes), .edges = room(edges)};
  must(PMPI_Graph_get(comm, nodes, edges, graph.index.data(), graph.edges.data()), "MPI_Graph_get");
  return graph;
}

DistributedGraph distributed_graph_of(MPI_Comm comm) {
  int in = 0;
  int out = 0;
  int weighted = 0;
  must(PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted), "MPI_Dist_graph_neighbors_count");
  DistributedGraph graph{.weighted = weighted != 0,
                         .sources = room(in),
                         .source_weights = room(weighted ? in : 0),
                         .destinations = room(out),
                         .destination_weights = room(weighted ? out : 0)};
  int* const source_weights = weighted ? graph.source_weights.data() : MPI_UNWEIGHTED;
  int* const destination_weights = weighted ? graph.destination_weights.data() : MPI_UNWEIGHTED;
  must(PMPI_Dist_graph_neighbors(comm, in, graph.sources.data(), source_weights, out, graph.destinations.data(),
                                 destination_weights),
       "MPI_Dist_graph_neighbors");
  return graph;
}

// The members are in the order that MPI once gave them, so they must not be reordered again.

int make(std::monostate, MPI_Comm, MPI_Comm*, const char**) { return MPI_ERR_TOPOLOGY; }

int make(const Cartesian& cartesian, MPI_Comm plain, MPI_Comm* made, const char** call) {
  *call = "MPI_Cart_create";
  return PMPI_Cart_create(plain, length(cartesian.dims), cartesian.dims.data(), cartesian.periods.data(), 0, made);
}

int make(const Graph& graph, MPI_Comm plain, MPI_Comm* made, const char** call) {
  *call = "MPI_Graph_create";
  return PMPI_Graph_create(plain, length(graph.index), graph.index.data(), graph.edges.data(), 0, made);
}

int make(const DistributedGraph& graph, MPI_Comm plain, MPI_Comm* made, const char** call) {
  *call = "MPI_Dist_graph_create_adjacent";
  const auto weights = [&](const std::vector<int>& all) -> const int* {
    if (!graph.weighted) return MPI_UNWEIGHTED;
    return all.empty() ? MPI_WEIGHTS_EMPTY : all.data();
  };
  return PMPI_Dist_graph_create_adjacent(
      plain, length(graph.sources), graph.sources.data(), weights(graph.source_weights), length(graph.destinations),
      graph.destinations.data(), weights(graph.destination_weights), MPI_INFO_NULL, 0, made);
}

void write_one(std::monostate, ByteWriter&) {}

void write_one(const Cartesian& cartesian, ByteWriter& writer) {
  write_numbers(writer, cartesian.dims);
  write_numbers(writer, cartesian.periods);
}

void write_one(const Graph& graph, ByteWriter& writer) {
  write_numbers(writer, graph.index);
  write_numbers(writer, graph.edges);
}

void write_one(const DistributedGraph& graph, ByteWriter& writer) {
  writer.u8(graph.weighted);
  for (const auto* numbers : {&graph.sources, &graph.source_weights, &graph.destinations, &graph.destination_weights})
    write_numbers(writer, *numbers);
}

bool valid(const Cartesian& cartesian, std::size_t processes) {
  std::size_t product = 1;
  for (const int dim : cartesian.dims) {
    if (dim < 1 || static_cast<std::size_t>(dim) > processes / product) return false;
    product *= static_cast<std::size_t>(dim);
  }
  return product == processes && cartesian.periods.size() == cartesian.dims.size();
}

bool are_ranks(const std::vector<int>& numbers, std::size_t processes) {
  return std::ranges::all_of(numbers,
                             [&](int rank) { return rank >= 0 && static_cast<std::size_t>(rank) < processes; });
}

bool valid(const Graph& graph, std::size_t processes) {
  return graph.index.size() == processes && std::ranges::is_sorted(graph.index) &&
         (graph.index.empty() || (graph.index.front() >= 0 && graph.index.back() == length(graph.edges))) &&
         are_ranks(graph.edges, processes);
}

bool valid(const DistributedGraph& graph, std::size_t processes) {
  const auto fits = [&](const std::vector<int>& weights, const std::vector<int>& ranks) {
    return weights.size() == (graph.weighted ? ranks.size() : 0);
  };
  return are_ranks(graph.sources, processes) && are_ranks(graph.destinations, processes) &&
         fits(graph.source_weights, graph.sources) && fits(graph.destination_weights, graph.destinations);
}

template <class One>
Topology checked(One one, ByteReader& reader, std::size_t size) {
  if (!valid(one, size)) reader.fail();
  return one;
}

}  // namespace

Topology topology_of(MPI_Comm comm) {
  int kind = MPI_UNDEFINED;
  must(PMPI_Topo_test(comm, &kind), "MPI_Topo_test");
  switch (kind) {
    case MPI_CART:
      return cartesian_of(comm);
    case MPI_GRAPH:
      return graph_of(comm);
    case MPI_DIST_GRAPH:
      return distributed_graph_of(comm);
    default:
      return {};
  }
}

int add_topology(const Topology& topology, MPI_Comm* comm, const char** call) {
  MPI_Comm plain = *comm;
  *comm = MPI_COMM_NULL;
  const int status = std::visit([&](const auto& one) { return make(one, plain, comm, call); }, topology);
  must(PMPI_Comm_free(&plain), "MPI_Comm_free");
  return status;
}

void write(const Topology& topology, ByteWriter& writer) {
  writer.u8(static_cast<std::uint8_t>(topology.index()));
  std::visit([&](const auto& one) { write_one(one, writer); }, topology);
}

Topology read_topology(ByteReader& reader, std::size_t size) {
  switch (reader.u8()) {
    case 0:
      return {};
    case 1:
      return checked(Cartesian{.dims = read_numbers(reader), .periods = read_numbers(reader)}, reader, size);
    case 2:
      return checked(Graph{.index = read_numbers(reader), .edges = read_numbers(reader)}, reader, size);
    case 3: {
      DistributedGraph graph{.weighted = reader.u8() != 0};
      for (auto* numbers : {&graph.sources, &graph.source_weights, &graph.destinations, &graph.destination_weights})
        *numbers = read_numbers(reader);
      return checked(std::move(graph), reader, size);
    }
    default:
      reader.fail();
      return {};
  }
}

}  // namespace cppc::mpi
