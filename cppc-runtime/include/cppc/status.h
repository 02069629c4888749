/* The one status enumeration of CPPC Live, grouped by what an error puts at risk: the call, the rank, the image, the job.
 * Plain C, no dependency: every component may include it. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef enum cppc_status {
  CPPC_OK = 0,

  /* The call failed; nothing else is affected. */
  CPPC_ERR_ARGUMENT = 100, /* an argument is out of range or of the wrong form */
  CPPC_ERR_STATE = 101,    /* not allowed at this time */
  CPPC_ERR_NOT_FOUND = 102,
  CPPC_ERR_MEMORY = 103, /* not enough memory */
  CPPC_ERR_SYSTEM = 104, /* the operating system refused */
  CPPC_ERR_REFUSED = 105,
  CPPC_ERR_TIMEOUT = 106,
  CPPC_ERR_CANCELLED = 107,

  /* The rank cannot be moved now; it goes on working. */
  CPPC_ERR_UNSUPPORTED = 200, /* the program uses something that cannot be carried over */
  CPPC_ERR_NOT_QUIET = 201,   /* messages in flight or active requests at the migration point */
  CPPC_ERR_MISMATCH = 202,    /* ranks, types or programs do not agree */
  CPPC_ERR_LOST = 203,        /* a process of the migration was lost before the job depended on it */

  /* The image is unusable; the source still has its state. */
  CPPC_ERR_IMAGE = 300,    /* not an image, truncated or inconsistent */
  CPPC_ERR_CHECKSUM = 301, /* the bytes are not those that were written */
  CPPC_ERR_FABRIC = 302,   /* the transfer failed */

  /* The job is damaged: it cannot go on. */
  CPPC_ERR_MPI = 400,  /* an MPI call failed where no way back exists */
  CPPC_ERR_PEER = 401, /* a process was lost inside the commit */
} cppc_status;

/* A short text for a status; never NULL. */
const char* cppc_status_text(cppc_status status);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
