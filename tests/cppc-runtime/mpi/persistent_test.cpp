/// Persistent requests: what is counted, every way to complete them, and that they live on in another world. Every
/// process sends to the next and receives from the one before.
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <functional>
#include <vector>

#include "communicator_set.hpp"
#include "handles.hpp"
#include "mpi/datatypes.hpp"
#include "test_world.hpp"

namespace cppc::test {

const int moved_rank = -1;

namespace {

cppc_traffic now() {
  cppc_traffic traffic;
  mpi_state::traffic(&traffic);
  return traffic;
}

void rebuild() {
  EXPECT_EQ(now().active, 0);
  ASSERT_EQ(mpi_state::rebuild(next_world()), CPPC_OK);
}

using SendInit = int(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

class Persistent : public testing::Test {
 protected:
  void SetUp() override {
    MPI_Barrier(MPI_COMM_WORLD);
    before_ = now();
  }
  void TearDown() override { EXPECT_EQ(now().active, 0); }

  /// Since the test began.
  void expect_counted(int sent, int received, int active) const {
    EXPECT_EQ(now().sent - before_.sent, sent);
    EXPECT_EQ(now().received - before_.received, received);
    EXPECT_EQ(now().active - before_.active, active);
  }

  MPI_Request receive(int tag, int* into, MPI_Comm comm = MPI_COMM_WORLD) const {
    MPI_Request request;
    MPI_Recv_init(into, 1, MPI_INT, before, tag, comm, &request);
    return request;
  }

  MPI_Request send(int tag, const int* from, MPI_Comm comm = MPI_COMM_WORLD, SendInit* init = MPI_Send_init) const {
    MPI_Request request;
    init(from, 1, MPI_INT, after, tag, comm, &request);
    return request;
  }

  int me = rank_in(MPI_COMM_WORLD);
  int size = size_of(MPI_COMM_WORLD);
  int after = (me + 1) % size;
  int before = (me + size - 1) % size;
  cppc_traffic before_{};
};

TEST_F(Persistent, EveryKindOfSend) {
  std::vector<char> buffer(1024 + MPI_BSEND_OVERHEAD);
  MPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size()));
  int out = me, in = -1, rounds = 0;
  for (SendInit* const init : {&MPI_Send_init, &MPI_Bsend_init, &MPI_Ssend_init, &MPI_Rsend_init}) {
    std::array<MPI_Request, 2> requests{receive(1, &in), send(1, &out, MPI_COMM_WORLD, init)};
    for (out = me; out < me + 20; out += 10) {
      MPI_Start(&requests[0]);
      MPI_Barrier(MPI_COMM_WORLD);  // a ready send needs its receive
      MPI_Start(&requests[1]);
      ++rounds;
      expect_counted(rounds, rounds, 2);
      MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
      expect_counted(rounds, rounds, 0);
      EXPECT_EQ(in, before + out - me);
    }
    for (MPI_Request& request : requests) {
      MPI_Request_free(&request);
      EXPECT_EQ(request, MPI_REQUEST_NULL);
    }
  }
  void* detached;
  int bytes;
  MPI_Buffer_detach(&detached, &bytes);
  EXPECT_EQ(detached, buffer.data());
}

/// Three persistent receives and a plain one in an array with a null request, completed by `complete` until all are.
class Completion : public Persistent {
 protected:
  static constexpr int number = 5;
  using Array = std::array<MPI_Request, number>;

  void expect_completed(const std::function<void(Array&)>& complete) {
    std::array<int, number> in{};
    Array requests{receive(0, &in[0]), MPI_REQUEST_NULL, receive(2, &in[2]), MPI_REQUEST_NULL, receive(4, &in[4])};
    const Array handles = requests;
    for (int round = 1; round <= 2; ++round) {
      for (const int i : {0, 2, 4}) MPI_Start(&requests[static_cast<std::size_t>(i)]);
      MPI_Irecv(&in[3], 1, MPI_INT, before, 3, MPI_COMM_WORLD, &requests[3]);
      for (const int tag : {2, 4, 3, 0}) {
        const int out = 100 * round + tag;
        MPI_Send(&out, 1, MPI_INT, after, tag, MPI_COMM_WORLD);
      }
      expect_counted(4 * round, 4 * round, 4);
      complete(requests);
      expect_counted(4 * round, 4 * round, 0);
      EXPECT_EQ(requests, handles);
      for (const int tag : {0, 2, 3, 4}) EXPECT_EQ(in[static_cast<std::size_t>(tag)], 100 * round + tag);
      complete(requests);  // of requests none of which is active
      expect_counted(4 * round, 4 * round, 0);
    }
    for (const int i : {0, 2, 4}) MPI_Request_free(&requests[static_cast<std::size_t>(i)]);
  }
};

TEST_F(Completion, ByWait) {
  expect_completed([](Array& requests) {
    for (MPI_Request& request : requests) MPI_Wait(&request, MPI_STATUS_IGNORE);
  });
}

TEST_F(Completion, ByTest) {
  expect_completed([](Array& requests) {
    for (MPI_Request& request : requests) {
      for (int flag = 0; !flag;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    }
  });
}

TEST_F(Completion, ByWaitall) {
  expect_completed([](Array& requests) { MPI_Waitall(number, requests.data(), MPI_STATUSES_IGNORE); });
}

TEST_F(Completion, ByTestall) {
  expect_completed([](Array& requests) {
    for (int flag = 0; !flag;) MPI_Testall(number, requests.data(), &flag, MPI_STATUSES_IGNORE);
  });
}

TEST_F(Completion, ByWaitany) {
  expect_completed([](Array& requests) {
    for (int index = 0; index != MPI_UNDEFINED;) MPI_Waitany(number, requests.data(), &index, MPI_STATUS_IGNORE);
  });
}

TEST_F(Completion, ByTestany) {
  expect_completed([](Array& requests) {
    for (int index = 0, flag = 0; !flag || index != MPI_UNDEFINED;) {
      MPI_Testany(number, requests.data(), &index, &flag, MPI_STATUS_IGNORE);
    }
  });
}

TEST_F(Completion, ByWaitsome) {
  expect_completed([](Array& requests) {
    for (int done = 0; done != MPI_UNDEFINED;) {
      std::array<int, number> indices;
      MPI_Waitsome(number, requests.data(), &done, indices.data(), MPI_STATUSES_IGNORE);
    }
  });
}

TEST_F(Completion, ByTestsome) {
  expect_completed([](Array& requests) {
    for (int done = 0; done != MPI_UNDEFINED;) {
      std::array<int, number> indices;
      MPI_Testsome(number, requests.data(), &done, indices.data(), MPI_STATUSES_IGNORE);
    }
  });
}

TEST_F(Persistent, IsLookedAtWithoutBeingCompleted) {
  int in = -1, flag = 0;
  MPI_Request request = receive(1, &in);
  MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
  EXPECT_TRUE(flag);
  MPI_Start(&request);
  MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
  EXPECT_FALSE(flag);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(&me, 1, MPI_INT, after, 1, MPI_COMM_WORLD);
  for (flag = 0; !flag;) MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
  expect_counted(1, 1, 1);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
}

TEST_F(Persistent, FreedWhileActiveIsActiveUntilItIsComplete) {
  MPI_Request request = send(1, &me, MPI_COMM_WORLD, MPI_Ssend_init);
  MPI_Start(&request);
  MPI_Request_free(&request);
  EXPECT_EQ(request, MPI_REQUEST_NULL);
  expect_counted(1, 0, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  int in;
  MPI_Recv(&in, 1, MPI_INT, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  while (now().active > 0) {
  }
  expect_counted(1, 1, 0);
}

TEST_F(Persistent, WithNobodyIsNoMessage) {
  MPI_Request request;
  MPI_Send_init(&me, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
  MPI_Start(&request);
  expect_counted(0, 0, 1);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect_counted(0, 0, 0);
  MPI_Request_free(&request);
}

TEST_F(Persistent, GoesOnInAnotherWorld) {
  MPI_Comm reversed;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &reversed);
  const int there = size - 1 - me;
  std::array<int, 3> in{};
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  std::array<MPI_Request, 4> requests{receive(0, &in[0]), send(0, &me)};
  MPI_Recv_init(&in[1], 1, pair, (there + 1) % size, 1, reversed, &requests[2]);
  const std::array<int, 2> out{me, 2 * me};
  MPI_Send_init(out.data(), 1, pair, (there + size - 1) % size, 1, reversed, &requests[3]);
  MPI_Type_free(&pair);
  const auto handles = requests;
  for (int round = 0; round < 3; ++round) {
    in = {-1, -1, -1};
    MPI_Startall(4, requests.data());
    MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
    EXPECT_EQ(in, (std::array{before, before, 2 * before}));
    EXPECT_EQ(requests, handles);
    rebuild();
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
  MPI_Comm_free(&reversed);
  EXPECT_EQ(mpi::real(mpi::Datatypes::Table::handle_of(1)), nullptr) << "a datatype is left";
}

TEST_F(Persistent, OfAFreedCommunicatorWorksAndKeepsTheRankWhereItIs) {
  MPI_Comm dup;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  int in = -1;
  std::array<MPI_Request, 2> requests{receive(1, &in, dup), send(1, &me, dup)};
  MPI_Comm_free(&dup);
  expect_counted(0, 0, 2);
  MPI_Startall(2, requests.data());
  MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  EXPECT_EQ(in, before);
  expect_counted(1, 1, 2);
  for (MPI_Request& request : requests) MPI_Request_free(&request);
  expect_counted(1, 1, 0);
}

TEST_F(Persistent, HandlesOfFreedRequestsAreInvalid) {
  int in = -1;
  MPI_Request request = receive(1, &in);
  MPI_Request kept = request;
  MPI_Request_free(&request);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  EXPECT_NE(MPI_Start(&kept), MPI_SUCCESS);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

}  // namespace

}  // namespace cppc::test
