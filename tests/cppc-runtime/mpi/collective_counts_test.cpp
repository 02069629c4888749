/// Which communicators, windows and files an extension is told of, and what is counted for them. The extension's part
/// is played by the test.
#include "mpi/collective_counts.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <deque>
#include <set>

#include "communicator_set.hpp"
#include "mpi/comm_table.hpp"
#include "test_world.hpp"

namespace cppc::test {

const int moved_rank = -1;

namespace {

using mpi::CollectiveCounts;
using mpi::comms;
using mpi::CommTable;
using Of = CollectiveCounts::Of;

struct Row {
  std::uint32_t size;
  cppc_collective_count count;
  bool open;
};

std::deque<Row> rows;
bool full = false;
cppc_current_operation current{};

const cppc_calls calls{
    .open = [](std::uint64_t id, std::uint32_t size, std::uint64_t begun) -> cppc_collective_count* {
      if (full) return nullptr;
      rows.push_back({size, {.id = id, .begun = begun}, true});
      return &rows.back().count;
    },
    .close =
        [](cppc_collective_count* count) {
          for (Row& row : rows) {
            if (&row.count == count) row.open = false;
          }
        },
    .current = [] { return &current; },
    .withdrawn = [](cppc_collective_count*) { return 0; },
    .reached = [](int, int) { return 0; },
    .enter = [](int, cppc_inside) {},
    .moved_on = [] {},
};

std::size_t index_of(MPI_Comm comm) { return CommTable::index_of(comm); }

class Counts : public testing::Test {
 protected:
  Counts() {
    rows.clear();
    full = false;
    counts_.count(calls, static_cast<std::uint32_t>(size_));
  }

  MPI_Comm dup(MPI_Comm parent) {
    MPI_Comm made = MPI_COMM_NULL;
    counts_.begin(Of::comm, parent == MPI_COMM_WORLD ? CollectiveCounts::world : index_of(parent));
    MPI_Comm_dup(parent, &made);
    counts_.made(parent == MPI_COMM_WORLD ? CollectiveCounts::world : index_of(parent), index_of(made),
                 comms.real(made, "test"));
    return made;
  }

  MPI_Comm split(int color) {
    MPI_Comm made = MPI_COMM_NULL;
    counts_.begin(Of::comm, CollectiveCounts::world);
    MPI_Comm_split(MPI_COMM_WORLD, color, 0, &made);
    counts_.made(CollectiveCounts::world, index_of(made), comms.real(made, "test"));
    return made;
  }

  /// The same in all members of `comm`.
  static void expect_agreement(std::uint64_t id, MPI_Comm comm) {
    std::array<std::uint64_t, 2> range{id, ~id};
    MPI_Allreduce(MPI_IN_PLACE, range.data(), 2, MPI_UINT64_T, MPI_MAX, comm);
    EXPECT_EQ(range[0], id);
    EXPECT_EQ(~range[1], id);
  }

  int me_ = rank_in(MPI_COMM_WORLD);
  int size_ = size_of(MPI_COMM_WORLD);
  CollectiveCounts counts_;
};

TEST_F(Counts, TheWorldIsTheFirst) {
  ASSERT_EQ(rows.size(), size_ > 1 ? 1U : 0U);
  counts_.begin(Of::comm, CollectiveCounts::world);
  counts_.begin(Of::comm, CollectiveCounts::world);
  if (size_ == 1) return;
  EXPECT_EQ(rows[0].count.begun, 2U);
  EXPECT_EQ(rows[0].size, static_cast<std::uint32_t>(size_));
}

TEST_F(Counts, CommunicatorsHaveNumbersThatAllMembersKnowAndNoOtherHas) {
  if (size_ == 1) return;
  MPI_Comm first = dup(MPI_COMM_WORLD);
  MPI_Comm second = dup(MPI_COMM_WORLD);
  MPI_Comm third = dup(first);
  ASSERT_EQ(rows.size(), 4U);
  std::set<std::uint64_t> ids;
  for (const Row& row : rows) {
    ids.insert(row.count.id);
    expect_agreement(row.count.id, MPI_COMM_WORLD);
  }
  EXPECT_EQ(ids.size(), rows.size());
  for (MPI_Comm* comm : {&first, &second, &third}) MPI_Comm_free(comm);
}

TEST_F(Counts, PartsOfOneSplitHaveDifferentNumbers) {
  if (size_ < 4) return;
  MPI_Comm half = split(me_ % 2);
  ASSERT_EQ(rows.size(), 2U);
  expect_agreement(rows[1].count.id, half);
  std::vector<std::uint64_t> ids(static_cast<std::size_t>(size_));
  MPI_Allgather(&rows[1].count.id, 1, MPI_UINT64_T, ids.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
  EXPECT_NE(ids[0], ids[1]);
  MPI_Comm_free(&half);
}

TEST_F(Counts, WhatTheMembersAloneHaveMadeHasANumberThatTheyKnow) {
  if (size_ < 2) return;
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Group pair = MPI_GROUP_NULL;
  const std::array ranks{1, 0};
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 2, ranks.data(), &pair);
  if (me_ < 2) {
    std::array<MPI_Comm, 2> made{MPI_COMM_NULL, MPI_COMM_NULL};
    for (MPI_Comm& one : made) {
      MPI_Comm_create_group(MPI_COMM_WORLD, pair, 7, &one);
      counts_.made_apart(index_of(one), comms.real(one, "test"), 7);
      expect_agreement(rows.back().count.id, one);
    }
    EXPECT_NE(rows[1].count.id, rows[2].count.id);
    for (MPI_Comm& one : made) MPI_Comm_free(&one);
  }
  MPI_Group_free(&pair);
  MPI_Group_free(&world);
}

TEST_F(Counts, BothSidesOfAnIntercommunicatorKnowItsNumber) {
  if (size_ < 2) return;
  MPI_Comm side = MPI_COMM_NULL;
  MPI_Comm inter = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, me_ % 2, 0, &side);
  MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, 1 - me_ % 2, 3, &inter);
  counts_.made_apart(index_of(inter), comms.real(inter, "test"), 3);
  EXPECT_EQ(rows[1].size, static_cast<std::uint32_t>(size_));
  expect_agreement(rows[1].count.id, MPI_COMM_WORLD);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&side);
}

TEST_F(Counts, WhatIsFreedIsClosed) {
  if (size_ == 1) return;
  MPI_Comm made = dup(MPI_COMM_WORLD);
  const std::size_t index = index_of(made);
  counts_.begin(Of::comm, index);
  MPI_Comm_free(&made);
  counts_.gone(Of::comm, index);
  EXPECT_FALSE(rows[1].open);
  EXPECT_EQ(rows[1].count.begun, 1U);
  counts_.begin(Of::comm, index);
  EXPECT_EQ(rows[1].count.begun, 1U);
}

TEST_F(Counts, AloneNobodyHasToBeTold) {
  MPI_Comm self = split(me_);
  counts_.begin(Of::comm, index_of(self));
  EXPECT_EQ(rows.size(), size_ > 1 ? 1U : 0U);
  MPI_Comm_free(&self);
}

TEST_F(Counts, GoAlongToAnotherProcess) {
  MPI_Comm made = dup(MPI_COMM_WORLD);
  full = true;
  MPI_Comm unlisted = dup(made);
  counts_.begin(Of::comm, index_of(made));
  counts_.begin(Of::comm, index_of(unlisted));
  ByteWriter writer;
  counts_.write(writer);
  const std::deque<Row> before = std::exchange(rows, {});
  full = false;
  CollectiveCounts there;
  there.count(calls, static_cast<std::uint32_t>(size_));
  ByteReader reader(writer.bytes());
  there.read(reader);
  EXPECT_TRUE(reader.at_end());
  if (size_ > 1) {
    ASSERT_EQ(rows.size(), 4U);  // the world twice
    EXPECT_FALSE(rows[0].open);
    EXPECT_EQ(rows[1].count.begun, before[0].count.begun);
    EXPECT_EQ(rows[2].count.id, before[1].count.id);
    EXPECT_EQ(rows[2].count.begun, 2U);
    EXPECT_EQ(rows[3].count.begun, 1U);
    there.begin(Of::comm, index_of(made));
    EXPECT_EQ(rows[2].count.begun, 3U);
  }
  ByteReader cut(writer.bytes().first(writer.bytes().size() - 9));
  CollectiveCounts nowhere;
  nowhere.count(calls, static_cast<std::uint32_t>(size_));
  nowhere.read(cut);
  EXPECT_FALSE(cut.at_end());
  MPI_Comm_free(&unlisted);
  MPI_Comm_free(&made);
}

TEST(CountsOf, APlainProgramCostNothing) {
  CollectiveCounts counts;
  counts.begin(Of::comm, CollectiveCounts::world);
  counts.made(CollectiveCounts::world, 1, MPI_COMM_WORLD);
  counts.gone(Of::comm, 1);
}

}  // namespace
}  // namespace cppc::test
