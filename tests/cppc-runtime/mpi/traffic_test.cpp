/// What is counted for each kind of message and request. Every process sends to the next and receives from the one
/// before.
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <functional>

#include "communicator_set.hpp"
#include "handles.hpp"
#include "test_world.hpp"

namespace cppc::test {

const int moved_rank = -1;

namespace {

cppc_traffic now() {
  cppc_traffic traffic;
  mpi_state::traffic(&traffic);
  return traffic;
}

/// What has been counted since it was made.
class Counted {
 public:
  void expect(int sent, int received, int active) const {
    const cppc_traffic after = now();
    EXPECT_EQ(after.sent - before_.sent, sent);
    EXPECT_EQ(after.received - before_.received, received);
    EXPECT_EQ(after.active - before_.active, active);
  }

 private:
  cppc_traffic before_ = now();
};

class Traffic : public testing::Test {
 protected:
  void SetUp() override { MPI_Barrier(MPI_COMM_WORLD); }

  MPI_Request receive(int tag = 0) {
    MPI_Request request;
    MPI_Irecv(&in_, 1, MPI_INT, before, tag, MPI_COMM_WORLD, &request);
    return request;
  }

  void send(int tag = 0) { MPI_Send(&out_, 1, MPI_INT, after, tag, MPI_COMM_WORLD); }

  int me = rank_in(MPI_COMM_WORLD);
  int size = size_of(MPI_COMM_WORLD);
  int after = (me + 1) % size;
  int before = (me + size - 1) % size;
  int out_ = me;
  int in_ = -1;
};

TEST_F(Traffic, BlockingSends) {
  using Send = int(const void*, int, MPI_Datatype, int, int, MPI_Comm);
  for (Send* const function : {&MPI_Send, &MPI_Ssend, &MPI_Rsend}) {
    const Counted counted;
    MPI_Request request = receive();
    counted.expect(0, 1, 1);
    MPI_Barrier(MPI_COMM_WORLD);  // a ready send needs its receive
    function(&out_, 1, MPI_INT, after, 0, MPI_COMM_WORLD);
    counted.expect(1, 1, 1);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    counted.expect(1, 1, 0);
    EXPECT_EQ(in_, before);
  }
}

TEST_F(Traffic, NonBlockingSends) {
  using Send = int(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  for (Send* const function : {&MPI_Isend, &MPI_Issend, &MPI_Irsend}) {
    const Counted counted;
    std::array<MPI_Request, 2> requests{receive(), MPI_REQUEST_NULL};
    MPI_Barrier(MPI_COMM_WORLD);
    function(&out_, 1, MPI_INT, after, 0, MPI_COMM_WORLD, &requests[1]);
    counted.expect(1, 1, 2);
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    counted.expect(1, 1, 0);
  }
}

TEST_F(Traffic, BlockingReceives) {
  const Counted counted;
  MPI_Request request;
  MPI_Isend(&out_, 1, MPI_INT, after, 0, MPI_COMM_WORLD, &request);
  MPI_Recv(&in_, 1, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  counted.expect(1, 1, 1);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  counted.expect(1, 1, 0);
}

TEST_F(Traffic, Exchanges) {
  const Counted counted;
  MPI_Sendrecv(&out_, 1, MPI_INT, after, 0, &in_, 1, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  counted.expect(1, 1, 0);
  MPI_Sendrecv_replace(&in_, 1, MPI_INT, after, 0, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  counted.expect(2, 2, 0);
  MPI_Sendrecv(&out_, 1, MPI_INT, after, 0, &in_, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  counted.expect(3, 2, 0);
  MPI_Sendrecv(&out_, 1, MPI_INT, MPI_PROC_NULL, 0, &in_, 1, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  counted.expect(3, 3, 0);
}

TEST_F(Traffic, NothingGoesToOrComesFromNobody) {
  const Counted counted;
  std::array<MPI_Request, 2> requests;
  MPI_Send(&out_, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  MPI_Recv(&in_, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Isend(&out_, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&in_, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  MPI_Message message;
  MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(&in_, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  counted.expect(0, 0, 0);
}

TEST_F(Traffic, Probes) {
  const Counted counted;
  int flag = 0;
  MPI_Request request;
  MPI_Isend(&out_, 1, MPI_INT, after, 0, MPI_COMM_WORLD, &request);
  MPI_Probe(before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Iprobe(before, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  EXPECT_TRUE(flag);
  counted.expect(1, 0, 1);
  MPI_Recv(&in_, 1, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  counted.expect(1, 1, 0);
}

TEST_F(Traffic, MatchedMessagesCountOnceTheyAreReceived) {
  const Counted counted;
  MPI_Message message;
  int flag = 0;
  std::array<MPI_Request, 2> requests;
  for (MPI_Request& request : requests) MPI_Isend(&out_, 1, MPI_INT, after, 0, MPI_COMM_WORLD, &request);
  MPI_Mprobe(before, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  counted.expect(2, 0, 2);
  MPI_Mrecv(&in_, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  counted.expect(2, 1, 2);
  while (!flag) MPI_Improbe(before, 0, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
  MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  MPI_Imrecv(&in_, 1, MPI_INT, &message, &requests[0]);
  counted.expect(2, 2, 1);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  counted.expect(2, 2, 0);
}

/// Three receives, completed by `complete` until it has done so for all.
class Completion : public Traffic {
 protected:
  void expect_counted(const std::function<void(std::array<MPI_Request, 3>&)>& complete) {
    const Counted counted;
    std::array<MPI_Request, 3> requests{receive(0), receive(1), receive(2)};
    counted.expect(0, 3, 3);
    for (const int tag : {1, 0, 2}) send(tag);
    complete(requests);
    counted.expect(3, 3, 0);
    for (const MPI_Request request : requests) EXPECT_EQ(request, MPI_REQUEST_NULL);
    complete(requests);  // of requests that are complete already
    counted.expect(3, 3, 0);
  }
};

TEST_F(Completion, ByWait) {
  expect_counted([](auto& requests) {
    for (MPI_Request& request : requests) MPI_Wait(&request, MPI_STATUS_IGNORE);
  });
}

TEST_F(Completion, ByTest) {
  expect_counted([](auto& requests) {
    for (MPI_Request& request : requests) {
      for (int flag = 0; !flag;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    }
  });
}

TEST_F(Completion, ByTestall) {
  expect_counted([](auto& requests) {
    for (int flag = 0; !flag;) MPI_Testall(3, requests.data(), &flag, MPI_STATUSES_IGNORE);
  });
}

TEST_F(Completion, ByWaitany) {
  expect_counted([](auto& requests) {
    for (int index = 0; index != MPI_UNDEFINED;) MPI_Waitany(3, requests.data(), &index, MPI_STATUS_IGNORE);
  });
}

TEST_F(Completion, ByTestany) {
  expect_counted([](auto& requests) {
    for (int index = 0, flag = 0; !flag || index != MPI_UNDEFINED;) {
      MPI_Testany(3, requests.data(), &index, &flag, MPI_STATUS_IGNORE);
    }
  });
}

TEST_F(Completion, ByWaitsome) {
  expect_counted([](auto& requests) {
    for (int number = 0; number != MPI_UNDEFINED;) {
      std::array<int, 3> indices;
      MPI_Waitsome(3, requests.data(), &number, indices.data(), MPI_STATUSES_IGNORE);
    }
  });
}

TEST_F(Completion, ByTestsome) {
  expect_counted([](auto& requests) {
    for (int number = 0; number != MPI_UNDEFINED;) {
      std::array<int, 3> indices;
      MPI_Testsome(3, requests.data(), &number, indices.data(), MPI_STATUSES_IGNORE);
    }
  });
}

TEST_F(Traffic, DetachedRequestsAreActiveUntilTheyAreComplete) {
  const Counted counted;
  MPI_Request request;
  MPI_Issend(&out_, 1, MPI_INT, after, 0, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
  EXPECT_EQ(request, MPI_REQUEST_NULL);
  counted.expect(1, 0, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Recv(&in_, 1, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  while (now().active > 0) {
  }
  counted.expect(1, 1, 0);
}

TEST_F(Traffic, ACutMessageHasBeenReceivedAndAWrongOneNotBeenSent) {
  MPI_Comm returns;
  MPI_Comm_dup(MPI_COMM_WORLD, &returns);
  MPI_Comm_set_errhandler(returns, MPI_ERRORS_RETURN);
  const Counted counted;
  const std::array<int, 2> two{};
  EXPECT_NE(MPI_Send(&out_, 1, MPI_INT, size, 0, returns), MPI_SUCCESS);
  EXPECT_NE(MPI_Recv(&in_, 1, MPI_INT, size, 0, returns, MPI_STATUS_IGNORE), MPI_SUCCESS);
  counted.expect(0, 0, 0);
  MPI_Request request;
  MPI_Isend(two.data(), 2, MPI_INT, after, 0, returns, &request);
  EXPECT_NE(MPI_Recv(&in_, 1, MPI_INT, before, 0, returns, MPI_STATUS_IGNORE), MPI_SUCCESS);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  counted.expect(1, 1, 0);
  MPI_Irecv(&in_, 1, MPI_INT, before, 0, returns, &request);
  MPI_Send(two.data(), 2, MPI_INT, after, 0, returns);
  MPI_Wait(&request, MPI_STATUS_IGNORE);  // an error, but not to oneself in Open MPI
  counted.expect(2, 2, 0);
  MPI_Sendrecv(two.data(), 2, MPI_INT, after, 0, &in_, 1, MPI_INT, before, 0, returns, MPI_STATUS_IGNORE);
  counted.expect(3, 3, 0);
  MPI_Comm_free(&returns);
}

TEST_F(Traffic, CollectivesAreNoMessagesButRequests) {
  const Counted counted;
  int sum = 0;
  MPI_Allreduce(&out_, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  std::array<MPI_Request, 3> requests;
  MPI_Iallreduce(&out_, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
  MPI_Ibcast(&in_, 1, MPI_INT, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Ibarrier(MPI_COMM_WORLD, &requests[2]);
  counted.expect(0, 0, 3);
  MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE);
  counted.expect(0, 0, 0);
  EXPECT_EQ(sum, size * (size - 1) / 2);
}

TEST_F(Traffic, GeneralizedRequests) {
  const Counted counted;
  MPI_Request request;
  MPI_Grequest_start(
      [](void*, MPI_Status* status) {
        MPI_Status_set_elements(status, MPI_INT, 0);
        MPI_Status_set_cancelled(status, 0);
        return MPI_SUCCESS;
      },
      [](void*) { return MPI_SUCCESS; }, [](void*, int) { return MPI_SUCCESS; }, nullptr, &request);
  counted.expect(0, 0, 1);
  MPI_Grequest_complete(request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  counted.expect(0, 0, 0);
}

TEST_F(Traffic, BeginsAnewWithARebuild) {
  MPI_Request request = receive();
  send();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_GT(now().sent, 0);
  ASSERT_EQ(mpi_state::rebuild(next_world()), CPPC_OK);
  EXPECT_EQ(now().sent, 0);
  EXPECT_EQ(now().received, 0);
  EXPECT_EQ(now().active, 0);
}

TEST_F(Traffic, OfACancelledReceiveIsNone) {
  const Counted counted;
  MPI_Request request = receive(99);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(request, MPI_REQUEST_NULL);
  counted.expect(0, 0, 0);
}

}  // namespace

}  // namespace cppc::test
