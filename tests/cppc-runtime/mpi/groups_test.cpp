/// Groups of processes when the processes behind the ranks change.
#include <gtest/gtest.h>
#include <mpi.h>

#include <numeric>
#include <vector>

#include "communicator_set.hpp"
#include "handles.hpp"
#include "test_world.hpp"

namespace cppc::test {

const int moved_rank = -1;

namespace {

void rebuild() { ASSERT_EQ(mpi_state::rebuild(next_world()), CPPC_OK); }

MPI_Group world_group() {
  MPI_Group all;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  return all;
}

/// Their ranks in the world of now.
std::vector<int> members(MPI_Group group) {
  int size = 0;
  MPI_Group_size(group, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size)), world(ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  MPI_Group all = world_group();
  MPI_Group_translate_ranks(group, size, ranks.data(), all, world.data());
  MPI_Group_free(&all);
  return world;
}

std::vector<int> ranks_of_world() {
  std::vector<int> ranks(static_cast<std::size_t>(size_of(MPI_COMM_WORLD)));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

TEST(Groups, NameTheSameRanksInAnotherWorld) {
  const int me = rank_in(MPI_COMM_WORLD), last = size_of(MPI_COMM_WORLD) - 1;
  int backwards[][3]{{last, 0, -1}};
  MPI_Group all = world_group(), reversed, alone, others, self;
  MPI_Group_range_incl(all, 1, backwards, &reversed);
  MPI_Group_incl(all, 1, &last, &alone);
  MPI_Group_excl(all, 1, &last, &others);
  MPI_Comm_group(MPI_COMM_SELF, &self);
  for (int round = 0; round < 3; ++round) {
    auto expected = ranks_of_world();
    EXPECT_EQ(members(all), expected);
    EXPECT_EQ(members(reversed), std::vector<int>(expected.rbegin(), expected.rend()));
    EXPECT_EQ(members(alone), std::vector<int>{last});
    expected.pop_back();
    EXPECT_EQ(members(others), expected);
    EXPECT_EQ(members(self), std::vector<int>{me});
    int rank = -1;
    MPI_Group_rank(reversed, &rank);
    EXPECT_EQ(rank, last - me);
    rebuild();
  }
  if (last == 0) {
    EXPECT_EQ(others, MPI_GROUP_EMPTY);
  }
  for (MPI_Group* group : {&all, &reversed, &alone, &others, &self}) {
    MPI_Group_free(group);
    EXPECT_EQ(*group, MPI_GROUP_NULL);
  }
}

TEST(Groups, OfTwoWorldsAreCombined) {
  const int first = 0, last = size_of(MPI_COMM_WORLD) - 1;
  int everybody[][3]{{0, last, 1}};
  MPI_Group all = world_group(), one, other, made;
  MPI_Group_incl(all, 1, &first, &one);
  rebuild();
  MPI_Group now = world_group();
  int result;
  MPI_Group_compare(all, now, &result);
  EXPECT_EQ(result, MPI_IDENT);
  MPI_Group_incl(now, 1, &last, &other);
  MPI_Group_union(one, other, &made);
  EXPECT_EQ(members(made), last == 0 ? std::vector{0} : (std::vector{0, last}));
  MPI_Group_free(&made);
  MPI_Group_difference(all, other, &made);
  EXPECT_EQ(members(made).size(), static_cast<std::size_t>(last));
  MPI_Group_free(&made);
  MPI_Group_intersection(one, now, &made);
  EXPECT_EQ(members(made), std::vector{0});
  MPI_Group_free(&made);
  MPI_Group_range_excl(now, 1, everybody, &made);
  EXPECT_EQ(made, MPI_GROUP_EMPTY);
  for (MPI_Group* group : {&all, &one, &now, &other}) MPI_Group_free(group);
}

TEST(Groups, MakeCommunicatorsInAnotherWorld) {
  MPI_Group all = world_group();
  rebuild();
  MPI_Comm created, created_by_members;
  MPI_Comm_create(MPI_COMM_WORLD, all, &created);
  MPI_Comm_create_group(MPI_COMM_WORLD, all, 3, &created_by_members);
  expect_sound({{created, "", ranks_of_world()}, {created_by_members, "", ranks_of_world()}});
  MPI_Comm_free(&created);
  MPI_Comm_free(&created_by_members);
  MPI_Group_free(&all);
}

TEST(Groups, ThatAreFreedAreInvalidAndTheirHandlesUsedAgain) {
  MPI_Group first = world_group();
  const MPI_Group handle = first;
  MPI_Group_free(&first);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int size;
  EXPECT_NE(MPI_Group_size(handle, &size), MPI_SUCCESS);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Group second = world_group();
  EXPECT_EQ(second, handle);
  MPI_Group_free(&second);
}

}  // namespace

}  // namespace cppc::test
