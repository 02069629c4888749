/// A program without an extension, linked with libcppc: everything is MPI's, also what cannot be migrated.
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <cstdint>
#include <vector>

namespace {

/// Real communicators are objects of the MPI library.
bool is_real(MPI_Comm comm) { return reinterpret_cast<std::uintptr_t>(comm) >= 65536; }

class Plain : public testing::Test {
 protected:
  Plain() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
  }
  int rank = -1;
  int size = 0;
};

TEST_F(Plain, TheWorldIsMpis) {
  int real_rank, real_size, result;
  PMPI_Comm_rank(MPI_COMM_WORLD, &real_rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &real_size);
  EXPECT_EQ(rank, real_rank);
  EXPECT_EQ(size, real_size);
  MPI_Comm dup;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  EXPECT_TRUE(is_real(dup));
  PMPI_Comm_compare(MPI_COMM_WORLD, dup, &result);
  EXPECT_EQ(result, MPI_CONGRUENT);
  MPI_Comm_free(&dup);
  EXPECT_EQ(dup, MPI_COMM_NULL);
}

TEST_F(Plain, ThreadLevelIsWhatWasAskedFor) {
  int provided;
  MPI_Query_thread(&provided);
  EXPECT_EQ(provided, MPI_THREAD_MULTIPLE);
}

TEST_F(Plain, CommunicatorsAndTopologies) {
  MPI_Comm node, grid, row, ring;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  std::array<int, 2> dims{}, keep{0, 1};
  const std::array<int, 2> periods{};
  MPI_Dims_create(size, 2, dims.data());
  MPI_Cart_create(node, 2, dims.data(), periods.data(), 1, &grid);
  MPI_Cart_sub(grid, keep.data(), &row);
  const int left = (rank + size - 1) % size;
  const int right = (rank + 1) % size;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, MPI_UNWEIGHTED, 1, &right, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &ring);
  int from = -1;
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, &from, 1, MPI_INT, ring);
  EXPECT_EQ(from, left);
  MPI_Request request;
  MPI_Comm later;
  MPI_Comm_idup(MPI_COMM_WORLD, &later, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(MPI_Comm_f2c(MPI_Comm_c2f(later)), later);
  for (MPI_Comm* comm : {&node, &grid, &row, &ring, &later}) {
    EXPECT_TRUE(is_real(*comm));
    MPI_Comm_free(comm);
  }
}

TEST_F(Plain, Intercommunicators) {
  if (size < 2) GTEST_SKIP();
  MPI_Comm half, inter, merged;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &inter);
  int remote = 0;
  MPI_Comm_remote_size(inter, &remote);
  EXPECT_EQ(remote, rank % 2 == 0 ? size / 2 : (size + 1) / 2);
  MPI_Intercomm_merge(inter, rank % 2, &merged);
  int merged_size = 0;
  MPI_Comm_size(merged, &merged_size);
  EXPECT_EQ(merged_size, size);
  for (MPI_Comm* comm : {&half, &inter, &merged}) MPI_Comm_free(comm);
}

TEST_F(Plain, Attributes) {
  int keyval, flag = 0, value = 42;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, nullptr);
  MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, &value);
  int* found = nullptr;
  MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, &found, &flag);
  ASSERT_TRUE(flag);
  EXPECT_EQ(found, &value);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval);
  MPI_Comm_free_keyval(&keyval);
  MPI_Comm split;
  MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &split);
  MPI_Comm_get_attr(split, MPI_TAG_UB, &found, &flag);
  EXPECT_FALSE(flag);  // only the world and its duplicates have it in Open MPI
  MPI_Comm_free(&split);
}

TEST_F(Plain, PersistentAndBufferedMessages) {
  const int right = (rank + 1) % size;
  const int left = (rank + size - 1) % size;
  int in = -1;
  std::array<MPI_Request, 2> requests;
  MPI_Recv_init(&in, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(&rank, 1, MPI_INT, right, 0, MPI_COMM_WORLD, &requests[1]);
  for (int round = 0; round < 3; ++round) {
    MPI_Startall(2, requests.data());
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    EXPECT_EQ(in, left);
    in = -1;
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
  std::vector<char> buffer(1024 + MPI_BSEND_OVERHEAD);
  MPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size()));
  MPI_Bsend(&rank, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
  MPI_Recv(&in, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT_EQ(in, left);
  void* detached;
  int bytes;
  MPI_Buffer_detach(&detached, &bytes);
  MPI_Irecv(&in, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Cancel(&requests[0]);
  MPI_Status status;
  MPI_Wait(&requests[0], &status);
  int cancelled = 0;
  MPI_Test_cancelled(&status, &cancelled);
  EXPECT_TRUE(cancelled);
}

TEST_F(Plain, WindowsAndFiles) {
  int* shared = nullptr;
  MPI_Win win;
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_SELF, &shared, &win);
  MPI_Win_fence(0, win);
  MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  EXPECT_EQ(*shared, rank);
  MPI_Win_free(&win);
  MPI_File file;
  ASSERT_EQ(MPI_File_open(MPI_COMM_WORLD, "/dev/null", MPI_MODE_WRONLY, MPI_INFO_NULL, &file), MPI_SUCCESS);
  MPI_File_close(&file);
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  const int failed = RUN_ALL_TESTS();
  if (failed) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Finalize();
}
