/// The rows of cppc/mpi/*.def as functions.
#include <mpi.h>

#include <string_view>

#include "mpi/blocking.hpp"
#include "mpi/call_point.hpp"
#include "mpi/collective_counts.hpp"
#include "mpi/collective_points.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/datatypes.hpp"
#include "mpi/error_handlers.hpp"
#include "mpi/files.hpp"
#include "mpi/groups.hpp"
#include "mpi/infos.hpp"
#include "mpi/operations.hpp"
#include "mpi/refuse.hpp"
#include "mpi/requests.hpp"
#include "mpi/traffic.hpp"
#include "mpi/turns.hpp"
#include "mpi/windows.hpp"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // MPI_Attr_put and MPI_Attr_delete

namespace cppc::mpi {

/// What is no handle, or one that the rows of the tables translate themselves.
template <class T>
static T real(T argument) {
  return argument;
}

namespace {

/// `Function` of MPI, with the real datatypes, operations, info objects and error handlers for the program's.
template <auto Function>
struct Real;

template <class... Parameters, int (*Function)(Parameters...)>
struct Real<Function> {
  static int call(Parameters... parameters) { return Function(real(parameters)...); }
  static int wait(Parameters... parameters) { return waiting<Function>(real(parameters)...); }
};

constexpr bool collective_on_file(std::string_view name) {
  for (const std::string_view end : {"_all", "_ordered", "_begin"})
    if (name.ends_with(end)) return true;
  for (const std::string_view one : {"MPI_File_preallocate", "MPI_File_seek_shared", "MPI_File_set_atomicity",
                                     "MPI_File_set_info", "MPI_File_set_size", "MPI_File_sync"})
    if (name == one) return true;
  return false;
}

void begin_on_file(std::string_view function, MPI_File file) {
  if (collective_on_file(function))
    collective_counts().begin(CollectiveCounts::Of::file, Files::index_of(file));
  else
    call_point.pass();
}

}  // namespace

}  // namespace cppc::mpi

using namespace cppc::mpi;

#define FUNCTION(name, parameters, ...)              \
  int name parameters {                              \
    const Entry entry;                               \
    [[maybe_unused]] const char* const self = #name; \
    __VA_ARGS__                                      \
  }
#define COMM(comm) comms.real(comm, self)
#define GROUP(group) groups().real(group)
#define FILE_(fh) files().real(fh)
#define WIN(win) windows().real(win)
#define TYPES(types, count) real_types(types, count).data()
#define CALL(name, arguments) Real<P##name>::call arguments
#define WAIT(name, arguments) Real<P##name>::wait arguments

#define PASSED(name, parameters, arguments) FUNCTION(name, parameters, return CALL(name, arguments);)
#define SENDS(name, parameters, arguments)                                                                       \
  FUNCTION(name, parameters, call_point.pass(); if (call_point.watching()) return send_breakably<STARTS_##name>( \
               {const_cast<void*>(buf), datatype, comm, CallKind::send, count, dest, tag});                      \
           return traffic.sent(WAIT(name, arguments), dest);)
#define STARTS_MPI_Send PMPI_Isend
#define STARTS_MPI_Ssend PMPI_Issend
#define STARTS_MPI_Rsend PMPI_Irsend
#define STARTS_MPI_Bsend PMPI_Ibsend
#define STARTS(name, parameters, arguments) \
  FUNCTION(name, parameters, call_point.pass(); return requests().started(CALL(name, arguments), request);)
#define STARTS_SEND(name, parameters, arguments) \
  FUNCTION(name, parameters, call_point.pass();  \
           return requests().started(traffic.sent(CALL(name, arguments), dest), request);)
#define CREATES(name, parameters, arguments)                                                                         \
  FUNCTION(name, parameters, if (!comms.managed()) return CALL(name, arguments); collective_counts().begin(comm);    \
           const int status = comms.create(self, newcomm, [&](MPI_Comm* newcomm) { return WAIT(name, arguments); }); \
           return collective_counts().made_of(comm, status, newcomm);)
#define MAKES_TYPE(name, parameters, arguments) \
  FUNCTION(name, parameters,                    \
           return datatypes().create(newtype, [&](MPI_Datatype* newtype) { return CALL(name, arguments); });)
#define MAKES_INFO(name, parameters, arguments) \
  FUNCTION(name, parameters, return infos().create(newinfo, [&](MPI_Info* newinfo) { return CALL(name, arguments); });)
#define GROUPED(name, parameters, arguments) FUNCTION(name, parameters, return CALL(name, arguments);)
#define MAKES_GROUP(name, parameters, arguments) \
  FUNCTION(name, parameters,                     \
           return groups().create(newgroup, [&](MPI_Group* newgroup) { return CALL(name, arguments); });)
#define GETS(name, parameters, arguments)       \
  FUNCTION(name, parameters, call_point.pass(); \
           return windows().accessed(CALL(name, arguments), win, target, Access::reads);)
#define PUTS(name, parameters, arguments)       \
  FUNCTION(name, parameters, call_point.pass(); \
           return windows().accessed(CALL(name, arguments), win, target, Access::writes);)
#define STARTS_PUT(name, parameters, arguments)                            \
  FUNCTION(name, parameters, call_point.pass(); return windows().accessed( \
      requests().started(CALL(name, arguments), request), win, target, Access::writes);)
#define REFUSED(name, parameters, arguments) \
  FUNCTION(name, parameters, if (comms.managed()) refuse(self); return CALL(name, arguments);)
#define OWN(name)
#define UNCHANGED(name)

extern "C" {

#include "cppc/mpi/datatypes.def"
#include "cppc/mpi/functions.def"
#include "cppc/mpi/one_sided.def"
#include "cppc/mpi/others.def"

#undef PASSED
#undef STARTS
#define PASSED(name, parameters, arguments)                                                   \
  FUNCTION(name, parameters, collective_points.passed(comm); collective_counts().begin(comm); \
           return WAIT(name, arguments);)
#define STARTS(name, parameters, arguments)                   \
  FUNCTION(name, parameters, collective_counts().begin(comm); \
           return requests().started(CALL(name, arguments), request);)
#include "cppc/mpi/collectives.def"

#undef PASSED
#undef STARTS
#define PASSED(name, parameters, arguments) \
  FUNCTION(name, parameters, begin_on_file(self, fh); return WAIT(name, arguments);)
#define STARTS(name, parameters, arguments) \
  FUNCTION(name, parameters, begin_on_file(self, fh); return requests().started(CALL(name, arguments), request);)
#define BEGINS(name, parameters, arguments) \
  FUNCTION(name, parameters, begin_on_file(self, fh); return files().began(WAIT(name, arguments), fh);)
#define ENDS(name, parameters, arguments) FUNCTION(name, parameters, return files().ended(WAIT(name, arguments), fh);)
#include "cppc/mpi/files.def"

}  // extern "C"
