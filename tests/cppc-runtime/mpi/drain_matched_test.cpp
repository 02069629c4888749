/// Messages that a probe has matched, or finds, when the world changes.
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <numeric>
#include <vector>

#include "drain_fixture.hpp"

namespace cppc::test {
namespace {

TEST_P(Drain, ProbesAndMatchedMessages) {
  send(1, 3);
  send(2, 4);
  interrupt();
  MPI_Status status;
  int flag = 0, count = 0, in = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
  EXPECT_TRUE(flag);
  EXPECT_EQ(status.MPI_TAG, 3);
  MPI_Probe(before, 4, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  EXPECT_EQ(count, 1);
  MPI_Message first, second;
  MPI_Mprobe(before, MPI_ANY_TAG, MPI_COMM_WORLD, &first, &status);
  EXPECT_EQ(status.MPI_TAG, 3);
  MPI_Improbe(before, 4, MPI_COMM_WORLD, &flag, &second, MPI_STATUS_IGNORE);
  EXPECT_TRUE(flag);
  MPI_Request request;
  MPI_Imrecv(&in, 1, MPI_INT, &second, &request);
  MPI_Wait(&request, &status);
  EXPECT_EQ(in, 2);
  EXPECT_EQ(status.MPI_TAG, 4);
  MPI_Mrecv(&in, 1, MPI_INT, &first, MPI_STATUS_IGNORE);
  EXPECT_EQ(in, 1);
  EXPECT_EQ(first, MPI_MESSAGE_NULL);
}

TEST_P(Drain, MessagesMatchedBefore) {
  constexpr std::size_t large = 1U << 18;  // beyond what goes without the receiver
  std::vector<int> out(large), in(large);
  std::iota(out.begin(), out.end(), me);
  MPI_Request sent, request;
  MPI_Status status;
  MPI_Message first, second, third, none;
  send(1, 3);
  send(2, 3);
  MPI_Isend(out.data(), large, MPI_INT, after, 4, MPI_COMM_WORLD, &sent);
  MPI_Mprobe(before, 3, MPI_COMM_WORLD, &first, MPI_STATUS_IGNORE);
  for (int flag = 0; !flag;) MPI_Improbe(before, 3, MPI_COMM_WORLD, &flag, &second, MPI_STATUS_IGNORE);
  MPI_Mprobe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &third, &status);
  MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &none, MPI_STATUS_IGNORE);
  send(3, 3);
  interrupt();
  interrupt();
  EXPECT_EQ(receive(3), 3) << "sent later, and not matched";
  int value = 0, count = 0;
  MPI_Imrecv(&value, 1, MPI_INT, &second, &request);
  EXPECT_EQ(second, MPI_MESSAGE_NULL);
  MPI_Wait(&request, &status);
  EXPECT_EQ(value, 2);
  EXPECT_EQ(status.MPI_SOURCE, before);
  MPI_Mrecv(&value, 1, MPI_INT, &first, &status);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(status.MPI_TAG, 3);
  MPI_Mrecv(in.data(), large, MPI_INT, &third, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  EXPECT_EQ(count, static_cast<int>(large));
  EXPECT_EQ(in.back(), before + static_cast<int>(large) - 1);
  EXPECT_EQ(first, MPI_MESSAGE_NULL);
  MPI_Mrecv(&value, 1, MPI_INT, &none, &status);
  EXPECT_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

TEST_P(Drain, AMatchedMessageOutlivesItsCommunicator) {
  MPI_Comm dup;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  send(1, 0, dup);
  MPI_Message message;
  MPI_Mprobe(before, 0, dup, &message, MPI_STATUS_IGNORE);
  interrupt();
  MPI_Comm_free(&dup);
  interrupt();
  int value = 0;
  MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  EXPECT_EQ(value, 1);
}

TEST_P(Drain, AMatchedMessageIsCut) {
  const std::array<int, 2> two{1, 2};
  MPI_Send(two.data(), 2, MPI_INT, after, 0, MPI_COMM_WORLD);
  MPI_Message message;
  MPI_Mprobe(before, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  interrupt();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int value = 0;
  EXPECT_EQ(MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
  EXPECT_EQ(message, MPI_MESSAGE_NULL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

}  // namespace
}  // namespace cppc::test
