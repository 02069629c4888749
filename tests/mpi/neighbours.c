/* Topologies of every kind: what they say of themselves, and collective operations with neighbours. */
#include <string.h>

#include "conformance.h"

static MPI_Comm ring;    /* Cartesian, periodic, of one dimension */
static MPI_Comm line;    /* what is left of a plane of ranks x 1 without its second dimension */
static MPI_Comm graph;   /* to the one before and the one after */
static MPI_Comm onwards; /* distributed: from everybody to the next */
static MPI_Comm given;   /* the same, each rank giving its own edges */
static int counts[2] = {1, 1}, places[2] = {0, 1};
static MPI_Aint byte_places[2] = {0, sizeof(int)};
static MPI_Datatype types[2];

static void make_graph(void) {
  int index[64], edges[128];
  for (int i = 0; i < ranks; ++i) {
    index[i] = 2 * (i + 1);
    edges[2 * i] = (i + ranks - 1) % ranks;
    edges[2 * i + 1] = (i + 1) % ranks;
  }
  MPI_Graph_create(MPI_COMM_WORLD, ranks, index, edges, 0, &graph);
}

void make_objects(void) {
  const int periodic = 1, one = 1, plane_size[2] = {ranks, 1}, plane_periods[2] = {1, 0}, remain[2] = {1, 0};
  MPI_Comm plane;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring);
  MPI_Cart_create(MPI_COMM_WORLD, 2, plane_size, plane_periods, 0, &plane);
  MPI_Cart_sub(plane, remain, &line);
  MPI_Comm_free(&plane);
  make_graph();
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &me, &one, &after, &one, MPI_INFO_NULL, 0, &onwards);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, &one, 1, &after, &one, MPI_INFO_NULL, 0, &given);
  types[0] = types[1] = MPI_INT;
}

void free_objects(void) {
  MPI_Comm_free(&ring);
  MPI_Comm_free(&line);
  MPI_Comm_free(&graph);
  MPI_Comm_free(&onwards);
  MPI_Comm_free(&given);
}

static void use_cartesian(void) {
  int kind, dims, size, period, coords, rank, source, destination, mapped;
  MPI_Topo_test(line, &kind);
  EXPECT(kind == MPI_CART);
  MPI_Cartdim_get(line, &dims);
  EXPECT(dims == 1);
  MPI_Cart_get(line, 1, &size, &period, &coords);
  EXPECT(size == ranks && period == 1 && coords == me);
  MPI_Cart_coords(ring, before, 1, &coords);
  EXPECT(coords == before);
  MPI_Cart_rank(ring, &coords, &rank);
  EXPECT(rank == before);
  MPI_Cart_shift(ring, 0, 1, &source, &destination);
  EXPECT(source == before && destination == after);
  MPI_Cart_map(ring, 1, &ranks, &period, &mapped);
  EXPECT(mapped >= 0 && mapped < ranks);
}

static void use_graphs(void) {
  int kind, nodes, edges, count, neighbours[2], index[64], all_edges[128], mapped, in, out, weighted, weight[2];
  MPI_Topo_test(graph, &kind);
  EXPECT(kind == MPI_GRAPH);
  MPI_Graphdims_get(graph, &nodes, &edges);
  EXPECT(nodes == ranks && edges == 2 * ranks);
  MPI_Graph_get(graph, 64, 128, index, all_edges);
  EXPECT(index[me] == 2 * (me + 1) && all_edges[2 * me] == before);
  MPI_Graph_neighbors_count(graph, me, &count);
  MPI_Graph_neighbors(graph, me, 2, neighbours);
  EXPECT(count == 2 && neighbours[0] == before && neighbours[1] == after);
  MPI_Graph_map(graph, ranks, index, all_edges, &mapped);
  EXPECT(mapped >= 0 && mapped < ranks);
  MPI_Dist_graph_neighbors_count(onwards, &in, &out, &weighted);
  EXPECT(in == 1 && out == 1 && weighted);
  MPI_Dist_graph_neighbors(given, 1, neighbours, weight, 1, &neighbours[1], &weight[1]);
  EXPECT(neighbours[0] == before && neighbours[1] == after && weight[0] == 1);
}

/* Of the ring, which has the one before as its first neighbour and the one after as its second. */
static bool arrived(const int* in, int from_before, int from_after) {
  return ranks == 2 ? in[0] + in[1] == from_before + from_after : in[0] == from_before && in[1] == from_after;
}

static void use_operations(int step) {
  const int value = 100 * step + me, out[2] = {10 * step + me, 10 * step + me + 1000};
  const int there = 100 * step + before, here = 100 * step + after;
  /* The second value of the one before was for the one after it, and the first of the one after for the one before. */
  const int to_me = 10 * step + before + 1000, to_me_too = 10 * step + after;
  int in[2];
  memset(in, -1, sizeof in), MPI_Neighbor_allgather(&value, 1, MPI_INT, in, 1, MPI_INT, ring);
  EXPECT(arrived(in, there, here));
  memset(in, -1, sizeof in), MPI_Neighbor_allgatherv(&value, 1, MPI_INT, in, counts, places, MPI_INT, graph);
  EXPECT(arrived(in, there, here));
  memset(in, -1, sizeof in), MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring);
  EXPECT(arrived(in, to_me, to_me_too));
  memset(in, -1, sizeof in), MPI_Neighbor_alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, ring);
  EXPECT(arrived(in, to_me, to_me_too));
  memset(in, -1, sizeof in);
  MPI_Neighbor_alltoallw(out, counts, byte_places, types, in, counts, byte_places, types, ring);
  EXPECT(arrived(in, to_me, to_me_too));
  MPI_Neighbor_allgather(&value, 1, MPI_INT, in, 1, MPI_INT, onwards);
  EXPECT(in[0] == there);
}

static void wait(MPI_Request* request) { MPI_Wait(request, MPI_STATUS_IGNORE); }

static void use_non_blocking(int step) {
  const int value = 100 * step + me, out[2] = {10 * step + me, 10 * step + me + 1000};
  const int there = 100 * step + before, here = 100 * step + after;
  const int to_me = 10 * step + before + 1000, to_me_too = 10 * step + after;
  int in[2];
  MPI_Request request;
  MPI_Ineighbor_allgather(&value, 1, MPI_INT, in, 1, MPI_INT, ring, &request), wait(&request);
  EXPECT(arrived(in, there, here));
  MPI_Ineighbor_allgatherv(&value, 1, MPI_INT, in, counts, places, MPI_INT, graph, &request), wait(&request);
  EXPECT(arrived(in, there, here));
  MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring, &request), wait(&request);
  EXPECT(arrived(in, to_me, to_me_too));
  MPI_Ineighbor_alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, ring, &request), wait(&request);
  EXPECT(arrived(in, to_me, to_me_too));
  MPI_Ineighbor_alltoallw(out, counts, byte_places, types, in, counts, byte_places, types, ring, &request);
  wait(&request);
  EXPECT(arrived(in, to_me, to_me_too));
}

void use_objects(int step) {
  use_cartesian();
  use_graphs();
  use_operations(step);
  use_non_blocking(step);
}
