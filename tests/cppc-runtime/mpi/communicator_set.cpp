#include "communicator_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

namespace cppc::test {

namespace {

std::vector<int> gather_members(MPI_Comm comm) {
  const int me = rank_in(MPI_COMM_WORLD);
  std::vector<int> members(static_cast<std::size_t>(size_of(comm)));
  MPI_Allgather(&me, 1, MPI_INT, members.data(), 1, MPI_INT, comm);
  return members;
}

/// Ranks of the world for which `belongs`, ascending.
std::vector<int> ranks_where(const std::function<bool(int)>& belongs) {
  std::vector<int> ranks(static_cast<std::size_t>(size_of(MPI_COMM_WORLD)));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::erase_if(ranks, [&](int rank) { return !belongs(rank); });
  return ranks;
}

class Maker {
 public:
  /// `comm` has just been made and has these members, if this process is one of them.
  void expect(MPI_Comm comm, const std::string& name, const std::vector<int>& members) {
    EXPECT_EQ(std::ranges::find(members, rank_in(MPI_COMM_WORLD)) != members.end(), comm != MPI_COMM_NULL) << name;
    if (comm == MPI_COMM_NULL) return;
    EXPECT_EQ(gather_members(comm), members) << name;
    add(comm, name);
  }

  void add(MPI_Comm comm, const std::string& name) {
    if (comm == MPI_COMM_NULL) return;
    MPI_Comm_set_name(comm, name.c_str());
    made_.push_back({comm, name, gather_members(comm)});
  }

  std::vector<Known> take() { return std::move(made_); }

 private:
  std::vector<Known> made_;
};

void make_splits(Maker& maker) {
  const int me = rank_in(MPI_COMM_WORLD);
  const auto everybody = ranks_where([](int) { return true; });
  MPI_Comm dup, reversed, half, nested, not_first, orphan;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  maker.expect(dup, "duplicate", everybody);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &reversed);
  maker.expect(reversed, "reversed", {everybody.rbegin(), everybody.rend()});
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &half);
  maker.expect(half, "half", ranks_where([me](int rank) { return rank % 2 == me % 2; }));
  MPI_Comm_split(half, me / 2 % 2, -me, &nested);
  auto quarter = ranks_where([me](int rank) { return rank % 4 == me % 4; });
  std::ranges::reverse(quarter);
  maker.expect(nested, "split of a split", quarter);
  MPI_Comm_split(MPI_COMM_WORLD, me == 0 ? MPI_UNDEFINED : 0, me, &not_first);
  maker.expect(not_first, "without the first", ranks_where([](int rank) { return rank != 0; }));
  MPI_Comm parent;
  MPI_Comm_dup(reversed, &parent);
  MPI_Comm_split(parent, me / 2, 0, &orphan);
  MPI_Comm_free(&parent);
  auto pair = ranks_where([me](int rank) { return rank / 2 == me / 2; });
  std::ranges::reverse(pair);
  maker.expect(orphan, "child of a freed parent", pair);
}

void make_from_groups(Maker& maker) {
  const int me = rank_in(MPI_COMM_WORLD);
  const auto even = ranks_where([](int rank) { return rank % 2 == 0; });
  const std::vector<int> even_reversed(even.rbegin(), even.rend());
  const auto not_second = ranks_where([](int rank) { return rank != 1; });
  MPI_Group all, some, others;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, static_cast<int>(even_reversed.size()), even_reversed.data(), &some);
  MPI_Group_incl(all, static_cast<int>(not_second.size()), not_second.data(), &others);
  MPI_Comm created;
  MPI_Comm created_group = MPI_COMM_NULL;
  MPI_Comm_create(MPI_COMM_WORLD, some, &created);
  if (me != 1) MPI_Comm_create_group(MPI_COMM_WORLD, others, 7, &created_group);
  MPI_Group_free(&all);
  MPI_Group_free(&some);
  MPI_Group_free(&others);
  maker.expect(created, "created", even_reversed);
  maker.expect(created_group, "created by its group", not_second);
}

void make_grids(Maker& maker) {
  std::array<int, 2> dims{};
  const std::array<int, 2> periods{1, 0}, row{0, 1}, column{1, 0}, point{0, 0};
  MPI_Dims_create(size_of(MPI_COMM_WORLD), 2, dims.data());
  MPI_Comm grid, rows, columns, points, line, copy;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank_in(MPI_COMM_WORLD), &copy);
  MPI_Cart_create(copy, 2, dims.data(), periods.data(), 1, &grid);
  MPI_Comm_free(&copy);
  MPI_Cart_sub(grid, row.data(), &rows);
  MPI_Cart_sub(grid, column.data(), &columns);
  MPI_Cart_sub(grid, point.data(), &points);
  MPI_Comm_dup(grid, &copy);
  maker.add(grid, "grid");
  maker.add(rows, "row");
  maker.add(columns, "column");
  maker.add(points, "point");
  maker.add(copy, "duplicate of the grid");
  const int length = std::max(1, size_of(MPI_COMM_WORLD) - 1);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &length, &periods[0], 0, &line);
  maker.add(line, "line");
}

void expect_grid(const Known& known) {
  int topology;
  MPI_Topo_test(known.comm, &topology);
  const bool grid = known.name == "grid" || known.name == "duplicate of the grid";
  const bool one_dimensional = known.name == "row" || known.name == "column" || known.name == "line";
  ASSERT_EQ(topology == MPI_CART, grid || one_dimensional || known.name == "point") << known.name;
  if (topology != MPI_CART) return;
  int ndims;
  MPI_Cartdim_get(known.comm, &ndims);
  ASSERT_EQ(ndims, grid ? 2 : one_dimensional ? 1 : 0) << known.name;
  std::array<int, 2> dims{1, 1}, periods{}, coords{}, expected{1, 1};
  MPI_Cart_get(known.comm, ndims, dims.data(), periods.data(), coords.data());
  EXPECT_EQ(dims[0] * dims[1], size_of(known.comm)) << known.name;
  if (grid) {
    expected = {};
    MPI_Dims_create(size_of(known.comm), 2, expected.data());
    EXPECT_EQ(dims, expected);
    EXPECT_EQ(periods, (std::array{1, 0}));
  }
  if (ndims == 0) return;
  int rank;
  MPI_Cart_rank(known.comm, coords.data(), &rank);
  EXPECT_EQ(rank, rank_in(known.comm)) << known.name;
  int before, after;
  MPI_Cart_shift(known.comm, 0, 1, &before, &after);
  int sum = 0;
  const int one = 1;
  MPI_Sendrecv(&one, 1, MPI_INT, after, 3, &sum, 1, MPI_INT, before, 3, known.comm, MPI_STATUS_IGNORE);
  EXPECT_EQ(sum, before == MPI_PROC_NULL ? 0 : 1) << known.name;
}

/// Of every process to the next one, and from there to the one after.
void make_graphs(Maker& maker) {
  const int me = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  std::vector<int> index, edges;
  for (int rank = 0; rank < size; ++rank) {
    edges.insert(edges.end(), {(rank + 1) % size, (rank + 2) % size});
    index.push_back(static_cast<int>(edges.size()));
  }
  MPI_Comm graph, adjacent, distributed, lonely;
  MPI_Graph_create(MPI_COMM_WORLD, size, index.data(), edges.data(), 0, &graph);
  maker.add(graph, "graph");
  const std::array<int, 2> after{(me + 1) % size, (me + 2) % size},
      before{(me + size - 1) % size, (me + size - 2 % size) % size};
  const std::array<int, 2> out_weights{me, 10 * me}, in_weights{before[0], 10 * before[1]};
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, before.data(), in_weights.data(), 2, after.data(),
                                 out_weights.data(), MPI_INFO_NULL, 0, &adjacent);
  maker.add(adjacent, "adjacent graph");
  const int degree = 2;
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &me, &degree, after.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &distributed);
  maker.add(distributed, "distributed graph");
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, nullptr, MPI_WEIGHTS_EMPTY, 0, nullptr, MPI_WEIGHTS_EMPTY,
                                 MPI_INFO_NULL, 0, &lonely);
  maker.add(lonely, "graph without edges");
}

void expect_graph(const Known& known) {
  const int me = rank_in(known.comm), size = size_of(known.comm);
  const std::array<int, 2> after{(me + 1) % size, (me + 2) % size},
      before{(me + size - 1) % size, (me + size - 2 % size) % size};
  std::array<int, 2> in{}, out{}, in_weights{-1, -1}, out_weights{-1, -1};
  if (known.name == "graph") {
    int count = 0;
    MPI_Graph_neighbors_count(known.comm, me, &count);
    ASSERT_EQ(count, 2);
    MPI_Graph_neighbors(known.comm, me, 2, out.data());
    EXPECT_EQ(out, after);
    return;
  }
  int topology, sources, destinations, weighted;
  MPI_Topo_test(known.comm, &topology);
  ASSERT_EQ(topology == MPI_DIST_GRAPH, known.name.find("graph") != std::string::npos) << known.name;
  if (topology != MPI_DIST_GRAPH) return;
  MPI_Dist_graph_neighbors_count(known.comm, &sources, &destinations, &weighted);
  EXPECT_EQ(weighted != 0, known.name != "distributed graph") << known.name;
  ASSERT_EQ(sources, known.name == "graph without edges" ? 0 : 2) << known.name;
  if (sources == 0) return;
  MPI_Dist_graph_neighbors(known.comm, 2, in.data(), in_weights.data(), 2, out.data(), out_weights.data());
  EXPECT_EQ(out, after) << known.name;
  if (known.name != "adjacent graph") return;
  EXPECT_EQ(in, before);
  EXPECT_EQ(in_weights, (std::array{before[0], 10 * before[1]}));
  EXPECT_EQ(out_weights, (std::array{me, 10 * me}));
  std::array<int, 2> got{};
  MPI_Neighbor_allgather(&me, 1, MPI_INT, got.data(), 1, MPI_INT, known.comm);
  EXPECT_EQ(got, before);
}

}  // namespace

MPI_Comm make_bridge() {
  const int me = rank_in(MPI_COMM_WORLD);
  if (size_of(MPI_COMM_WORLD) < 2) return MPI_COMM_NULL;
  MPI_Comm side, bridge;
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &side);
  MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, ranks_where([me](int rank) { return rank % 2 != me % 2; }).back(), 3,
                       &bridge);
  MPI_Comm_free(&side);
  return bridge;
}

void expect_sound_bridge(MPI_Comm bridge) {
  if (bridge == MPI_COMM_NULL) return;
  const int me = rank_in(MPI_COMM_WORLD);
  auto others = ranks_where([me](int rank) { return rank % 2 != me % 2; });
  std::ranges::reverse(others);
  int inter = 0, remote = 0;
  MPI_Comm_test_inter(bridge, &inter);
  MPI_Comm_remote_size(bridge, &remote);
  ASSERT_TRUE(inter);
  ASSERT_EQ(static_cast<std::size_t>(remote), others.size());
  std::vector<int> got(others.size());
  MPI_Allgather(&me, 1, MPI_INT, got.data(), 1, MPI_INT, bridge);
  EXPECT_EQ(got, others);
  MPI_Group group, all;
  std::vector<int> ranks(others.size()), in_world(others.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  MPI_Comm_remote_group(bridge, &group);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_translate_ranks(group, remote, ranks.data(), all, in_world.data());
  EXPECT_EQ(in_world, others);
  MPI_Group_free(&group);
  MPI_Group_free(&all);
  MPI_Comm merged;
  MPI_Intercomm_merge(bridge, me % 2, &merged);
  EXPECT_EQ(size_of(merged), size_of(MPI_COMM_WORLD));
  MPI_Comm_disconnect(&merged);
  EXPECT_EQ(merged, MPI_COMM_NULL);
}

std::vector<Known> make_communicators() {
  Maker maker;
  make_splits(maker);
  make_from_groups(maker);
  make_grids(maker);
  MPI_Comm alone;
  MPI_Comm_dup(MPI_COMM_SELF, &alone);
  maker.expect(alone, "alone", {rank_in(MPI_COMM_WORLD)});
  make_graphs(maker);
  MPI_Comm later, node;
  MPI_Request request;
  MPI_Comm_idup(MPI_COMM_WORLD, &later, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  maker.expect(later, "duplicated meanwhile", ranks_where([](int) { return true; }));
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  maker.expect(node, "node", ranks_where([](int) { return true; }));
  return maker.take();
}

void expect_sound(const std::vector<Known>& communicators) {
  for (const Known& known : communicators) {
    ASSERT_EQ(gather_members(known.comm), known.members) << known.name;
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Comm_get_name(known.comm, name, &length);
    EXPECT_EQ(name, known.name);
    const int me = rank_in(known.comm);
    const int size = size_of(known.comm);
    int mine = rank_in(MPI_COMM_WORLD);
    EXPECT_EQ(known.members[static_cast<std::size_t>(me)], mine) << known.name;
    MPI_Sendrecv_replace(&mine, 1, MPI_INT, (me + 1) % size, 1, (me + size - 1) % size, 1, known.comm,
                         MPI_STATUS_IGNORE);
    EXPECT_EQ(mine, known.members[static_cast<std::size_t>((me + size - 1) % size)]) << known.name;
    expect_grid(known);
    expect_graph(known);
  }
}

void free_communicators(std::vector<Known>& communicators) {
  for (Known& known : communicators) {
    MPI_Comm_free(&known.comm);
    EXPECT_EQ(known.comm, MPI_COMM_NULL) << known.name;
  }
  communicators.clear();
}

int rank_in(MPI_Comm comm) {
  int rank = MPI_PROC_NULL;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

}  // namespace cppc::test
