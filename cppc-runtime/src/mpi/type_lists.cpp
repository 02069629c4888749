#include "mpi/type_lists.hpp"

#include <algorithm>
#include <set>

#include "mpi/collective_counts.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/datatypes.hpp"
#include "mpi/requests.hpp"
#include "mpi/turns.hpp"
#include "never_destroyed.hpp"

namespace cppc::mpi {

const MPI_Datatype* kept(Types types) {
  static NeverDestroyed<std::set<Types>> lists;
  return (*lists).insert(std::move(types)).first->data();
}

int partners(MPI_Comm comm) {
  int remote = 0, count = 0;
  MPI_Comm_test_inter(comm, &remote);
  remote != 0 ? MPI_Comm_remote_size(comm, &count) : MPI_Comm_size(comm, &count);
  return count;
}

Neighbours neighbours(MPI_Comm comm) {
  Neighbours found;
  int topology = MPI_UNDEFINED, rank = 0, weighted = 0;
  MPI_Topo_test(comm, &topology);
  if (topology == MPI_CART) {
    MPI_Cartdim_get(comm, &found.sources);
    found.destinations = found.sources *= 2;
  } else if (topology == MPI_GRAPH) {
    MPI_Comm_rank(comm, &rank);
    MPI_Graph_neighbors_count(comm, rank, &found.sources);
    found.destinations = found.sources;
  } else if (topology == MPI_DIST_GRAPH) {
    MPI_Dist_graph_neighbors_count(comm, &found.sources, &found.destinations, &weighted);
  }
  return found;
}

namespace {

/// The lists of a call, as MPI knows them.
class Lists {
 public:
  /// For as long as it lives, or, as `lasting`, for good.
  Lists(const MPI_Datatype* sent, int destinations, const MPI_Datatype* received, int sources, bool lasting)
      : sent_(real_types(sent, destinations)), received_(real_types(received, sources)) {
    if (!comms.managed()) {
      to_send = sent;
      to_receive = received;
      return;
    }
    to_send = lasting ? kept(sent_) : sent_.data();
    to_receive = lasting ? kept(received_) : received_.data();
  }
  Lists(const Lists&) = delete;
  Lists& operator=(const Lists&) = delete;
  ~Lists() = default;

  /// Of an operation among all; in place there need be no types to send.
  static Lists among_all(const void* sendbuf, const MPI_Datatype* sent, const MPI_Datatype* received, MPI_Comm comm,
                         bool lasting) {
    const int count = comms.managed() ? partners(comm) : 0;
    return {sent, sendbuf == MPI_IN_PLACE ? 0 : count, received, count, lasting};
  }

  static Lists among_neighbours(const MPI_Datatype* sent, const MPI_Datatype* received, MPI_Comm comm, bool lasting) {
    const Neighbours count = comms.managed() ? neighbours(comm) : Neighbours{};
    return {sent, count.destinations, received, count.sources, lasting};
  }

  const MPI_Datatype* to_send;
  const MPI_Datatype* to_receive;

 private:
  Types sent_, received_;
};

}  // namespace

}  // namespace cppc::mpi

using namespace cppc::mpi;

extern "C" {

int MPI_Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
                  void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                  MPI_Comm comm) {
  const Entry entry;
  collective_counts().begin(comm);
  const Lists lists = Lists::among_all(sendbuf, sendtypes, recvtypes, comm, false);
  return waiting<PMPI_Alltoallw>(sendbuf, sendcounts, sdispls, lists.to_send, recvbuf, recvcounts, rdispls,
                                 lists.to_receive, comms.real(comm, __func__));
}

int MPI_Ialltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
                   void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                   MPI_Comm comm, MPI_Request* request) {
  const Entry entry;
  collective_counts().begin(comm);
  const Lists lists = Lists::among_all(sendbuf, sendtypes, recvtypes, comm, true);
  return requests().started(PMPI_Ialltoallw(sendbuf, sendcounts, sdispls, lists.to_send, recvbuf, recvcounts, rdispls,
                                            lists.to_receive, comms.real(comm, __func__), request),
                            request);
}

int MPI_Neighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                           const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                           const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  const Entry entry;
  collective_counts().begin(comm);
  const Lists lists = Lists::among_neighbours(sendtypes, recvtypes, comm, false);
  return waiting<PMPI_Neighbor_alltoallw>(sendbuf, sendcounts, sdispls, lists.to_send, recvbuf, recvcounts, rdispls,
                                          lists.to_receive, comms.real(comm, __func__));
}

int MPI_Ineighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                            const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                            const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                            MPI_Request* request) {
  const Entry entry;
  collective_counts().begin(comm);
  const Lists lists = Lists::among_neighbours(sendtypes, recvtypes, comm, true);
  return requests().started(PMPI_Ineighbor_alltoallw(sendbuf, sendcounts, sdispls, lists.to_send, recvbuf, recvcounts,
                                                     rdispls, lists.to_receive, comms.real(comm, __func__), request),
                            request);
}

}  // extern "C"
