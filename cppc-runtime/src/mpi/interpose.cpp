/// The rows of cppc/mpi/*.def as functions.
#include <mpi.h>

#include "mpi/collective_points.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/datatypes.hpp"
#include "mpi/files.hpp"
#include "mpi/groups.hpp"
#include "mpi/infos.hpp"
#include "mpi/refuse.hpp"
#include "mpi/requests.hpp"
#include "mpi/traffic.hpp"
#include "mpi/windows.hpp"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // MPI_Attr_put and MPI_Attr_delete

using namespace cppc::mpi;

#define FUNCTION(name, parameters, ...)              \
  int name parameters {                              \
    [[maybe_unused]] const char* const self = #name; \
    __VA_ARGS__                                      \
  }
#define COMM(comm) comms.real(comm, self)
#define GROUP(group) groups().real(group)
#define FILE_(fh) files().real(fh)
#define WIN(win) windows().real(win)

#define PASSED(name, parameters, arguments) FUNCTION(name, parameters, return P##name arguments;)
#define SENDS(name, parameters, arguments) FUNCTION(name, parameters, return traffic.sent(P##name arguments, dest);)
#define STARTS(name, parameters, arguments) \
  FUNCTION(name, parameters, return requests().started(P##name arguments, request);)
#define STARTS_SEND(name, parameters, arguments) \
  FUNCTION(name, parameters, return requests().started(traffic.sent(P##name arguments, dest), request);)
#define CREATES(name, parameters, arguments)                                 \
  FUNCTION(name, parameters, if (!comms.managed()) return P##name arguments; \
           return comms.create(self, newcomm, [&](MPI_Comm* newcomm) { return P##name arguments; });)
#define MAKES_TYPE(name, parameters, arguments) \
  FUNCTION(name, parameters, return datatypes().made(P##name arguments, newtype);)
#define MAKES_INFO(name, parameters, arguments) \
  FUNCTION(name, parameters, return infos().made(P##name arguments, newinfo);)
#define GROUPED(name, parameters, arguments) FUNCTION(name, parameters, return P##name arguments;)
#define MAKES_GROUP(name, parameters, arguments) \
  FUNCTION(name, parameters, return groups().create(newgroup, [&](MPI_Group* newgroup) { return P##name arguments; });)
#define BEGINS(name, parameters, arguments) FUNCTION(name, parameters, return files().began(P##name arguments, fh);)
#define ENDS(name, parameters, arguments) FUNCTION(name, parameters, return files().ended(P##name arguments, fh);)
#define GETS(name, parameters, arguments) \
  FUNCTION(name, parameters, return windows().accessed(P##name arguments, win, target, Access::reads);)
#define PUTS(name, parameters, arguments) \
  FUNCTION(name, parameters, return windows().accessed(P##name arguments, win, target, Access::writes);)
#define STARTS_PUT(name, parameters, arguments) \
  FUNCTION(name, parameters,                    \
           return windows().accessed(requests().started(P##name arguments, request), win, target, Access::writes);)
#define REFUSED(name, parameters, arguments) \
  FUNCTION(name, parameters, if (comms.managed()) refuse(self); return P##name arguments;)
#define OWN(name)
#define UNCHANGED(name)

extern "C" {

#pragma push_macro("PASSED")
#undef PASSED
#define PASSED(name, parameters, arguments) \
  FUNCTION(name, parameters, collective_points.passed(comm); return P##name arguments;)
#include "cppc/mpi/collectives.def"
#pragma pop_macro("PASSED")
#include "cppc/mpi/datatypes.def"
#include "cppc/mpi/files.def"
#include "cppc/mpi/functions.def"
#include "cppc/mpi/one_sided.def"
#include "cppc/mpi/others.def"

}  // extern "C"
