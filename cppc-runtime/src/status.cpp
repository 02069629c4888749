#include "cppc/status.h"

const char* cppc_status_text(cppc_status status) {
  switch (status) {
    case CPPC_OK:
      return "done";
    case CPPC_ERR_ARGUMENT:
      return "invalid argument";
    case CPPC_ERR_STATE:
      return "not allowed at this time";
    case CPPC_ERR_NOT_FOUND:
      return "not found";
    case CPPC_ERR_MEMORY:
      return "not enough memory";
    case CPPC_ERR_SYSTEM:
      return "the operating system refused";
    case CPPC_ERR_REFUSED:
      return "refused";
    case CPPC_ERR_TIMEOUT:
      return "timed out";
    case CPPC_ERR_CANCELLED:
      return "cancelled";
    case CPPC_ERR_UNSUPPORTED:
      return "the program uses something that cannot be carried over";
    case CPPC_ERR_NOT_QUIET:
      return "messages in flight or active requests at the migration point";
    case CPPC_ERR_MISMATCH:
      return "ranks, types or programs do not agree";
    case CPPC_ERR_LOST:
      return "a process of the migration was lost before the job depended on it";
    case CPPC_ERR_IMAGE:
      return "the image is truncated or inconsistent";
    case CPPC_ERR_CHECKSUM:
      return "the image is damaged: its checksum is not what it was";
    case CPPC_ERR_FABRIC:
      return "the transfer failed";
    case CPPC_ERR_MPI:
      return "an MPI call failed, the job is damaged";
    case CPPC_ERR_PEER:
      return "a process was lost during the commit, the job is damaged";
  }
  return "unknown status";
}
