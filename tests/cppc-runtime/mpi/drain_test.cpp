/// What is in flight when the world changes arrives, once and in order.
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <numeric>
#include <vector>

#include "drain_fixture.hpp"

namespace cppc::test {

const int moved_rank = -1;

namespace {

INSTANTIATE_TEST_SUITE_P(Then, Drain, testing::Values(Then::rebuild, Then::resume),
                         [](const auto& info) { return info.param == Then::rebuild ? "rebuild" : "resume"; });

TEST_P(Drain, MessagesArriveInTheirOrder) {
  MPI_Comm dup;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  for (int value = 1; value <= 3; ++value) send(value);
  send(9, 7);
  send(5, 0, dup);
  interrupt();
  send(4);
  EXPECT_EQ(receive(0, dup), 5);
  EXPECT_EQ(receive(7), 9);
  for (int value = 1; value <= 4; ++value) EXPECT_EQ(receive(), value);
  MPI_Comm_free(&dup);
}

TEST_P(Drain, TwiceBeforeTheyAreReceived) {
  send(1);
  interrupt();
  send(2);
  interrupt();
  EXPECT_EQ(receive(), 1);
  EXPECT_EQ(receive(), 2);
}

TEST_P(Drain, ReceivesAreServedInTheOrderInWhichTheyWerePosted) {
  std::array<int, 3> in{};
  std::array<MPI_Request, 3> requests{post(&in[0], MPI_ANY_SOURCE, MPI_ANY_TAG), post(&in[1], before),
                                      post(&in[2], MPI_ANY_SOURCE)};
  interrupt();
  for (int value = 1; value <= 2; ++value) send(value);
  interrupt();
  send(3);
  MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE);
  EXPECT_EQ(in, (std::array{1, 2, 3}));
}

TEST_P(Drain, LargeMessagesNobodyHasAskedFor) {
  std::vector<int> out(300'000), in(300'000);
  std::iota(out.begin(), out.end(), me);
  MPI_Request request;
  MPI_Issend(out.data(), static_cast<int>(out.size()), MPI_INT, after, 0, MPI_COMM_WORLD, &request);
  interrupt();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  std::ranges::fill(out, -1);
  MPI_Recv(in.data(), static_cast<int>(in.size()), MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT_EQ(in.front(), before);
  EXPECT_EQ(in.back(), before + 299'999);
}

TEST_P(Drain, OfTypesThatAreFreedMeanwhile) {
  MPI_Datatype every_other;
  MPI_Type_vector(2, 1, 2, MPI_INT, &every_other);
  MPI_Type_commit(&every_other);
  std::array<int, 3> early{}, late{};
  MPI_Request request;
  MPI_Irecv(late.data(), 1, every_other, before, 1, MPI_COMM_WORLD, &request);
  const std::array<int, 2> out{me, 10 * me};
  MPI_Send(out.data(), 2, MPI_INT, after, 0, MPI_COMM_WORLD);
  interrupt();
  MPI_Recv(early.data(), 1, every_other, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT_EQ(early, (std::array{before, 0, 10 * before}));
  MPI_Type_free(&every_other);
  MPI_Send(out.data(), 2, MPI_INT, after, 1, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(late, early);
}

TEST_P(Drain, ReductionsComeToTheirEnd) {
  int sum = 0;
  MPI_Request request;
  MPI_Iallreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  interrupt();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(sum, size * (size - 1) / 2);
}

TEST_P(Drain, DuplicatesAreFinished) {
  MPI_Comm dup;
  MPI_Request request;
  send(1);
  MPI_Comm_idup(MPI_COMM_WORLD, &dup, &request);
  interrupt();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(receive(), 1);
  send(2, 0, dup);
  EXPECT_EQ(receive(0, dup), 2);
  MPI_Comm_free(&dup);
}

TEST_P(Drain, PersistentReceives) {
  int in = -1, flag = 1;
  MPI_Request request;
  MPI_Recv_init(&in, 1, MPI_INT, before, 0, MPI_COMM_WORLD, &request);
  const MPI_Request handle = request;
  MPI_Start(&request);
  interrupt();
  MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
  EXPECT_FALSE(flag);
  MPI_Barrier(MPI_COMM_WORLD);
  send(1);
  interrupt();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(in, 1);
  EXPECT_EQ(request, handle);
  send(2);
  interrupt();
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(in, 2);
  MPI_Request_free(&request);
}

TEST_P(Drain, AGeneralizedRequestIsTheProgramsToComplete) {
  MPI_Request request;
  MPI_Grequest_start(
      [](void*, MPI_Status* status) {
        MPI_Status_set_elements(status, MPI_INT, 0);
        MPI_Status_set_cancelled(status, 0);
        return MPI_SUCCESS;
      },
      [](void*) { return MPI_SUCCESS; }, [](void*, int) { return MPI_SUCCESS; }, nullptr, &request);
  for (int round = 0; round < 3; ++round) EXPECT_EQ(mpi_state::drain(), 0);
  EXPECT_EQ(traffic_now().active, 1);
  ByteWriter writer;
  EXPECT_EQ(mpi_state::serialize(writer), CPPC_ERR_NOT_QUIET);
  mpi_state::resume();
  MPI_Grequest_complete(request);
  interrupt();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

TEST_P(Drain, Exchanges) {
  for (int value = 1; value <= 2; ++value) send(value);
  interrupt();
  int out = 3, in = -1;
  MPI_Sendrecv(&out, 1, MPI_INT, after, 0, &in, 1, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT_EQ(in, 1);
  out = 4;
  MPI_Sendrecv_replace(&out, 1, MPI_INT, after, 0, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT_EQ(out, 2);
  EXPECT_EQ(receive(), 3);
  EXPECT_EQ(receive(), 4);
}

TEST_P(Drain, EveryWayToComplete) {
  constexpr int number = 8;
  std::array<int, number> in{};
  std::array<MPI_Request, number> requests;
  for (int i = 0; i < number; ++i)
    requests[static_cast<std::size_t>(i)] = post(&in[static_cast<std::size_t>(i)], before, i);
  for (const int tag : {0, 1, 2, 3, 4, 6}) send(100 + tag, tag);
  interrupt();
  MPI_Status status;
  std::array<MPI_Status, 2> statuses;
  std::array<int, 2> indices{};
  int index = -1, flag = 0, done = 0;
  MPI_Test(&requests[0], &flag, &status);
  EXPECT_TRUE(flag);
  EXPECT_EQ(status.MPI_SOURCE, before);
  EXPECT_EQ(requests[0], MPI_REQUEST_NULL);
  MPI_Waitany(2, &requests[0], &index, &status);
  EXPECT_EQ(index, 1);
  EXPECT_EQ(status.MPI_TAG, 1);
  MPI_Testany(2, &requests[1], &index, &flag, MPI_STATUS_IGNORE);
  EXPECT_TRUE(flag);
  EXPECT_EQ(index, 1);
  MPI_Testsome(2, &requests[2], &done, indices.data(), statuses.data());
  EXPECT_EQ(done, 1);
  EXPECT_EQ(indices[0], 1);
  EXPECT_EQ(statuses[0].MPI_TAG, 3);
  MPI_Waitsome(2, &requests[4], &done, indices.data(), MPI_STATUSES_IGNORE);
  EXPECT_EQ(done, 1);
  EXPECT_EQ(indices[0], 0);
  MPI_Testall(2, &requests[6], &flag, statuses.data());
  EXPECT_FALSE(flag);
  MPI_Barrier(MPI_COMM_WORLD);
  send(105, 5);
  send(107, 7);
  MPI_Waitall(2, &requests[6], statuses.data());
  EXPECT_EQ(statuses[0].MPI_TAG, 6);
  EXPECT_EQ(statuses[1].MPI_TAG, 7);
  MPI_Wait(&requests[5], MPI_STATUS_IGNORE);
  for (int i = 0; i < number; ++i) {
    EXPECT_EQ(in[static_cast<std::size_t>(i)], 100 + i);
    EXPECT_EQ(requests[static_cast<std::size_t>(i)], MPI_REQUEST_NULL);
  }
}

TEST_P(Drain, RequestsThatTheProgramHasGivenUp) {
  int in = -1;
  MPI_Request request = post(&in, before);
  MPI_Request_free(&request);
  interrupt();
  send(1);
  send(2);
  EXPECT_EQ(receive(), 2);  // the first goes to the one given up
  interrupt();
  EXPECT_EQ(in, 1);
}

TEST_P(Drain, ACutMessageIsAnErrorWhenItIsAskedFor) {
  MPI_Comm returns;
  MPI_Comm_dup(MPI_COMM_WORLD, &returns);
  MPI_Comm_set_errhandler(returns, MPI_ERRORS_RETURN);
  const std::array<int, 2> two{1, 2};
  int posted = 0, in = 0;
  MPI_Request request;
  MPI_Irecv(&posted, 1, MPI_INT, before, 1, returns, &request);
  MPI_Send(two.data(), 2, MPI_INT, after, 0, returns);
  interrupt();
  MPI_Send(two.data(), 2, MPI_INT, after, 1, returns);
  interrupt();
  EXPECT_EQ(MPI_Recv(&in, 1, MPI_INT, before, 0, returns, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);  // an error, but not to oneself in Open MPI
  MPI_Comm_free(&returns);
}

TEST_P(Drain, NothingOfAFreedCommunicatorReachesTheNext) {
  MPI_Comm dup;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  const MPI_Comm freed = dup;
  send(1, 0, dup);
  interrupt();
  MPI_Comm_free(&dup);
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  EXPECT_EQ(dup, freed);
  send(2, 0, dup);
  EXPECT_EQ(receive(0, dup), 2);
  MPI_Comm_free(&dup);
}

int errors_of_next = 0;
void count_error(MPI_Comm*, int*, ...) { ++errors_of_next; }

TEST_P(Drain, AnErrorOfAFreedCommunicatorIsNotTheNexts) {
  MPI_Comm dup;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  MPI_Comm_set_errhandler(dup, MPI_ERRORS_RETURN);
  const MPI_Comm freed = dup;
  const std::array<int, 2> two{1, 2};
  int posted = 0;
  MPI_Request request;
  MPI_Irecv(&posted, 1, MPI_INT, before, 0, dup, &request);
  MPI_Send(two.data(), 2, MPI_INT, after, 0, dup);
  interrupt();
  MPI_Comm_free(&dup);
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  EXPECT_EQ(dup, freed);
  MPI_Errhandler counting;
  MPI_Comm_create_errhandler(count_error, &counting);
  MPI_Comm_set_errhandler(dup, counting);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int status = MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (size > 1) {
    EXPECT_EQ(status, MPI_ERR_TRUNCATE) << "not to oneself in Open MPI";
  }
  EXPECT_EQ(errors_of_next, 0);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&counting);
  MPI_Comm_free(&dup);
}

TEST_P(Drain, ACancelledReceiveGetsNothing) {
  int in = -1, cancelled = 0;
  MPI_Request request = post(&in, before);
  MPI_Cancel(&request);
  interrupt();
  send(1);
  MPI_Status status;
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &cancelled);
  EXPECT_TRUE(cancelled);
  EXPECT_EQ(receive(), 1);
  EXPECT_EQ(in, -1);
}

TEST_P(Drain, InterruptionWithoutTrafficIsHarmless) {
  interrupt();
  send(1);
  EXPECT_EQ(receive(), 1);
}

}  // namespace

}  // namespace cppc::test
