// Functions whose arguments cannot be translated one by one.
#include <mpi.h>

#include <vector>

#include "arguments.hpp"

namespace cppc::mpich {

namespace {

/// How many lists of a collective operation with each process's own datatype are.
struct Lengths {
  int sends, receives;
};

Lengths of_members(MPI_Comm comm) {
  int inter = 0, size = 0;
  PMPI_Comm_test_inter(comm, &inter);
  inter != 0 ? PMPI_Comm_remote_size(comm, &size) : PMPI_Comm_size(comm, &size);
  return {size, size};
}

Lengths of_neighbors(MPI_Comm comm) {
  int kind = MPI_UNDEFINED, number = 0;
  PMPI_Topo_test(comm, &kind);
  if (kind == MPI_CART) {
    PMPI_Cartdim_get(comm, &number);
    return {2 * number, 2 * number};
  }
  if (kind == MPI_GRAPH) {
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Graph_neighbors_count(comm, rank, &number);
    return {number, number};
  }
  int in = 0, out = 0, weighted = 0;
  PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
  return {out, in};
}

/// A list that has to stay until a request is complete. Nobody says when that is: it stays for good.
const int* lasting(const MPI_Datatype* types, int length) {
  if (types == nullptr) return nullptr;
  auto& list = *new std::vector<int>;
  for (int i = 0; i < length; ++i) list.push_back(to_mpich(types[i]));
  return list.data();
}

std::vector<int> translated(Kind kind, const int* values, int length) {
  std::vector<int> all;
  for (int i = 0; i < length; ++i) all.push_back(to_mpich(kind, values[i]));
  return all;
}

void translate_back(Kind kind, int* values, int length) {
  for (int i = 0; i < length; ++i) values[i] = to_ours(kind, values[i]);
}

/// The integers that a datatype was made with.
void translate_integers(int combiner, int* integers, int length) {
  if (length == 0 || (combiner != MPI_COMBINER_SUBARRAY && combiner != MPI_COMBINER_DARRAY)) return;
  translate_back(Kind::ORDER, integers + length - 1, 1);
  if (combiner == MPI_COMBINER_SUBARRAY) return;
  const int dimensions = integers[2];
  translate_back(Kind::DISTRIBUTION, integers + 3 + dimensions, dimensions);
  translate_back(Kind::DARG, integers + 3 + 2 * dimensions, dimensions);
}

/// Of MPI's own attributes, the value that Open MPI would have. It stays where it is.
void* attribute_value(int keyval, void* value) {
  static int last_code, host, io, model;
  const auto set = [value](int& number, Kind kind) {
    number = to_ours(kind, *static_cast<const int*>(value));
    return &number;
  };
  if (keyval == MPI_HOST) return set(host, Kind::RANK);
  if (keyval == MPI_IO) return set(io, Kind::RANK);
  if (keyval == MPI_WIN_MODEL) return set(model, Kind::MODEL);
  if (keyval != MPI_LASTUSEDCODE) return value;
  last_code = last_error();
  return &last_code;
}

int get_attribute(Function& function, int object, int keyval, void* value, int* flag) {
  void* found = nullptr;
  const int status = call(function, plain(object), constant<Kind::KEYVAL>(keyval), plain(&found), plain(flag));
  if (status == MPI_SUCCESS && *flag != 0) *static_cast<void**>(value) = attribute_value(keyval, found);
  return status;
}

}  // namespace

}  // namespace cppc::mpich

using namespace cppc::mpich;

extern "C" {

int PMPI_Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
                   void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                   MPI_Comm comm) {
  static Function f("PMPI_Alltoallw");
  const Lengths length = of_members(comm);
  return call(f, buffer(sendbuf), plain(sendcounts), plain(sdispls),
              handles(sendbuf == MPI_IN_PLACE ? nullptr : sendtypes, length.sends), buffer(recvbuf), plain(recvcounts),
              plain(rdispls), handles(recvtypes, length.receives), handle(comm));
}

int PMPI_Ialltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
                    void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                    MPI_Comm comm, MPI_Request* request) {
  static Function f("PMPI_Ialltoallw");
  const Lengths length = of_members(comm);
  return call(f, buffer(sendbuf), plain(sendcounts), plain(sdispls),
              plain(lasting(sendbuf == MPI_IN_PLACE ? nullptr : sendtypes, length.sends)), buffer(recvbuf),
              plain(recvcounts), plain(rdispls), plain(lasting(recvtypes, length.receives)), handle(comm),
              handle_out(request));
}

int PMPI_Neighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                            const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                            const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  static Function f("PMPI_Neighbor_alltoallw");
  const Lengths length = of_neighbors(comm);
  return call(f, plain(sendbuf), plain(sendcounts), plain(sdispls), handles(sendtypes, length.sends), plain(recvbuf),
              plain(recvcounts), plain(rdispls), handles(recvtypes, length.receives), handle(comm));
}

int PMPI_Ineighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                             const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                             const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                             MPI_Request* request) {
  static Function f("PMPI_Ineighbor_alltoallw");
  const Lengths length = of_neighbors(comm);
  return call(f, plain(sendbuf), plain(sendcounts), plain(sdispls), plain(lasting(sendtypes, length.sends)),
              plain(recvbuf), plain(recvcounts), plain(rdispls), plain(lasting(recvtypes, length.receives)),
              handle(comm), handle_out(request));
}

int PMPI_Type_create_darray(int size, int rank, int ndims, const int gsizes[], const int distribs[], const int dargs[],
                            const int psizes[], int order, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  static Function f("PMPI_Type_create_darray");
  const std::vector<int> distributions = translated(Kind::DISTRIBUTION, distribs, ndims);
  const std::vector<int> arguments = translated(Kind::DARG, dargs, ndims);
  return call(f, plain(size), plain(rank), plain(ndims), plain(gsizes), plain(distributions.data()),
              plain(arguments.data()), plain(psizes), constant<Kind::ORDER>(order), handle(oldtype),
              handle_out(newtype));
}

int PMPI_Type_get_contents(MPI_Datatype type, int max_integers, int max_addresses, int max_datatypes, int integers[],
                           MPI_Aint addresses[], MPI_Datatype datatypes[]) {
  static Function f("PMPI_Type_get_contents");
  int counts[3] = {}, combiner = MPI_COMBINER_NAMED;
  const int status = PMPI_Type_get_envelope(type, &counts[0], &counts[1], &counts[2], &combiner);
  if (status != MPI_SUCCESS) return status;
  std::vector<int> made_of(static_cast<std::size_t>(counts[2]));
  const int contents = call(f, handle(type), plain(max_integers), plain(max_addresses), plain(max_datatypes),
                            plain(integers), plain(addresses), plain(made_of.data()));
  if (contents != MPI_SUCCESS) return contents;
  translate_integers(combiner, integers, counts[0]);
  for (std::size_t i = 0; i < made_of.size(); ++i) datatypes[i] = to_ours<MPI_Datatype>(made_of[i]);
  return MPI_SUCCESS;
}

int PMPI_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[]) {
  static Function f("PMPI_Group_translate_ranks");
  const std::vector<int> ranks = translated(Kind::RANK, ranks1, n);
  const int status = call(f, handle(group1), plain(n), plain(ranks.data()), handle(group2), plain(ranks2));
  if (status == MPI_SUCCESS) translate_back(Kind::RANK, ranks2, n);
  return status;
}

int PMPI_Comm_get_attr(MPI_Comm comm, int keyval, void* value, int* flag) {
  static Function f("PMPI_Comm_get_attr");
  return get_attribute(f, to_mpich(comm), keyval, value, flag);
}

int PMPI_Attr_get(MPI_Comm comm, int keyval, void* value, int* flag) {
  return PMPI_Comm_get_attr(comm, keyval, value, flag);
}

int PMPI_Win_get_attr(MPI_Win win, int keyval, void* value, int* flag) {
  static Function f("PMPI_Win_get_attr");
  return get_attribute(f, to_mpich(win), keyval, value, flag);
}

int PMPI_Add_error_class(int* error_class) {
  static Function f("PMPI_Add_error_class");
  int added = 0;
  const int status = call(f, plain(&added));
  if (status == MPI_SUCCESS) *error_class = add_error(added);
  return status;
}

int PMPI_Add_error_code(int error_class, int* error_code) {
  static Function f("PMPI_Add_error_code");
  int added = 0;
  const int status = call(f, constant<Kind::ERROR>(error_class), plain(&added));
  if (status == MPI_SUCCESS) *error_code = add_error(added);
  return status;
}

int PMPI_Pcontrol(const int /*level*/, ...) { return MPI_SUCCESS; }
int MPI_Pcontrol(const int /*level*/, ...) { return MPI_SUCCESS; }

}  // extern "C"
