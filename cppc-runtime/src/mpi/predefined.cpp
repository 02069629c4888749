#include "mpi/predefined.hpp"

#include <algorithm>
#include <span>

#ifdef OPEN_MPI
// MPI_LB and MPI_UB of MPI 1: mpi.h has no name for them by now, the library has them for programs of then and of
// Fortran. Null in a later library.
extern "C" {
[[gnu::weak]] extern struct ompi_predefined_datatype_t ompi_mpi_lb, ompi_mpi_ub;
}
#define CPPC_MPI_LB reinterpret_cast<MPI_Datatype>(&ompi_mpi_lb)
#define CPPC_MPI_UB reinterpret_cast<MPI_Datatype>(&ompi_mpi_ub)
#else
#define CPPC_MPI_LB MPI_DATATYPE_NULL
#define CPPC_MPI_UB MPI_DATATYPE_NULL
#endif

namespace cppc::mpi {

namespace {

// These lists may only be appended to: positions are stored in images. A synonym is left out. What an MPI does not have
// is null, as the first one of each list.
#ifndef MPI_REAL16
#define MPI_REAL16 MPI_DATATYPE_NULL
#define MPI_COMPLEX32 MPI_DATATYPE_NULL
#endif

const MPI_Datatype datatypes[] = {
    MPI_DATATYPE_NULL,
    // C
    MPI_CHAR, MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_WCHAR, MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_INT, MPI_UNSIGNED,
    MPI_LONG, MPI_UNSIGNED_LONG, MPI_LONG_LONG, MPI_UNSIGNED_LONG_LONG, MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE,
    MPI_INT8_T, MPI_INT16_T, MPI_INT32_T, MPI_INT64_T, MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T,
    MPI_C_BOOL, MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_C_LONG_DOUBLE_COMPLEX, MPI_BYTE, MPI_PACKED, MPI_AINT,
    MPI_COUNT, MPI_OFFSET,
    // C, pairs
    MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_2INT, MPI_SHORT_INT, MPI_LONG_DOUBLE_INT,
    // C++
    MPI_CXX_BOOL, MPI_CXX_FLOAT_COMPLEX, MPI_CXX_DOUBLE_COMPLEX, MPI_CXX_LONG_DOUBLE_COMPLEX,
    // Fortran
    MPI_LOGICAL, MPI_CHARACTER, MPI_INTEGER, MPI_REAL, MPI_DOUBLE_PRECISION, MPI_COMPLEX, MPI_DOUBLE_COMPLEX,
    MPI_LOGICAL1, MPI_LOGICAL2, MPI_LOGICAL4, MPI_LOGICAL8, MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4, MPI_INTEGER8,
    MPI_REAL4, MPI_REAL8, MPI_REAL16, MPI_COMPLEX8, MPI_COMPLEX16, MPI_COMPLEX32, MPI_2INTEGER, MPI_2REAL,
    MPI_2DOUBLE_PRECISION,
    // MPI 1
    CPPC_MPI_LB, CPPC_MPI_UB};

const MPI_Op ops[] = {MPI_OP_NULL, MPI_MAX,  MPI_MIN,  MPI_SUM,    MPI_PROD,   MPI_LAND,    MPI_BAND, MPI_LOR,
                      MPI_BOR,     MPI_LXOR, MPI_BXOR, MPI_MAXLOC, MPI_MINLOC, MPI_REPLACE, MPI_NO_OP};

const MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_ENV};

const MPI_Errhandler errhandlers[] = {MPI_ERRHANDLER_NULL, MPI_ERRORS_ARE_FATAL, MPI_ERRORS_RETURN};

template <class Handle>
std::optional<std::size_t> position_in(std::span<const Handle> list, Handle handle) {
  const auto found = std::ranges::find(list, handle);
  if (found == list.end()) return std::nullopt;
  return static_cast<std::size_t>(found - list.begin());
}

template <class Handle>
std::optional<Handle> at(std::span<const Handle> list, std::size_t position) {
  if (position >= list.size() || list[position] == Handle{} || (position > 0 && list[position] == list[0]))
    return std::nullopt;
  return list[position];
}

}  // namespace

std::optional<std::size_t> position_of(MPI_Datatype handle) { return position_in<MPI_Datatype>(datatypes, handle); }
std::optional<std::size_t> position_of(MPI_Op handle) { return position_in<MPI_Op>(ops, handle); }
std::optional<std::size_t> position_of(MPI_Info handle) { return position_in<MPI_Info>(infos, handle); }
std::optional<std::size_t> position_of(MPI_Errhandler handle) {
  return position_in<MPI_Errhandler>(errhandlers, handle);
}
std::optional<MPI_Datatype> datatype_at(std::size_t position) { return at<MPI_Datatype>(datatypes, position); }
std::optional<MPI_Op> op_at(std::size_t position) { return at<MPI_Op>(ops, position); }
std::optional<MPI_Info> info_at(std::size_t position) { return at<MPI_Info>(infos, position); }
std::optional<MPI_Errhandler> errhandler_at(std::size_t position) { return at<MPI_Errhandler>(errhandlers, position); }

}  // namespace cppc::mpi
