/* Preloaded into ranks and agents: counts the messages that Open MPI itself sends while a communicator is made. Each
 * call that makes one adds a line to a file of the process in the folder that CPPC_BENCH_MESSAGES names: how many. What
 * is counted is what goes through Open MPI's layer for messages (pml), collective operations and agreements on the
 * communicator's number included. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ompi/mca/pml/pml.h"
#include "ompi_config.h"

/* Outside of such calls this is the same in all processes: a replacement gets it with the state of the rank. */
static mca_pml_base_module_send_fn_t own_send;
static mca_pml_base_module_isend_fn_t own_isend;
static int inside;
static long messages;

static int counting_send(const void* buffer, size_t count, struct ompi_datatype_t* type, int to, int tag,
                         mca_pml_base_send_mode_t mode, struct ompi_communicator_t* comm) {
  messages += inside;
  return own_send(buffer, count, type, to, tag, mode, comm);
}

static int counting_isend(const void* buffer, size_t count, struct ompi_datatype_t* type, int to, int tag,
                          mca_pml_base_send_mode_t mode, struct ompi_communicator_t* comm,
                          struct ompi_request_t** request) {
  messages += inside;
  return own_isend(buffer, count, type, to, tag, mode, comm, request);
}

static void* next(const char* function) {
  void* const found = dlsym(RTLD_NEXT, function);
  if (found != NULL) return found;
  fprintf(stderr, "count_messages: there is no %s\n", function);
  abort();
}

/* Called by MPI_Init, when it has chosen who sends messages. */
__attribute__((visibility("default"))) int mca_pml_base_select(bool progress_threads, bool mpi_threads) {
  const int code = ((int (*)(bool, bool))next("mca_pml_base_select"))(progress_threads, mpi_threads);
  own_send = mca_pml.pml_send;
  own_isend = mca_pml.pml_isend;
  mca_pml.pml_send = counting_send;
  mca_pml.pml_isend = counting_isend;
  return code;
}

static void begin(void) {
  if (inside) abort(); /* MPI's own functions do not call each other by these names */
  inside = 1;
  messages = 0;
}

static void end(void) {
  char path[PATH_MAX], host[64] = "", line[32];
  inside = 0;
  gethostname(host, sizeof host - 1);
  snprintf(path, sizeof path, "%s/%s.%d", getenv("CPPC_BENCH_MESSAGES"), host, (int)getpid());
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const int length = snprintf(line, sizeof line, "%ld\n", messages);
  if (file < 0 || write(file, line, (size_t)length) != length) {
    perror(path);
    abort();
  }
  close(file);
}

#define MAKES_A_COMMUNICATOR(name, parameters, arguments)       \
  int name parameters {                                         \
    begin();                                                    \
    const int code = ((int(*) parameters)next(#name))arguments; \
    end();                                                      \
    return code;                                                \
  }

MAKES_A_COMMUNICATOR(PMPI_Comm_create, (MPI_Comm a, MPI_Group b, MPI_Comm* c), (a, b, c))
MAKES_A_COMMUNICATOR(PMPI_Comm_create_group, (MPI_Comm a, MPI_Group b, int c, MPI_Comm* d), (a, b, c, d))
MAKES_A_COMMUNICATOR(PMPI_Comm_dup, (MPI_Comm a, MPI_Comm* b), (a, b))
MAKES_A_COMMUNICATOR(PMPI_Comm_dup_with_info, (MPI_Comm a, MPI_Info b, MPI_Comm* c), (a, b, c))
MAKES_A_COMMUNICATOR(PMPI_Comm_split, (MPI_Comm a, int b, int c, MPI_Comm* d), (a, b, c, d))
MAKES_A_COMMUNICATOR(PMPI_Intercomm_create, (MPI_Comm a, int b, MPI_Comm c, int d, int e, MPI_Comm* f),
                     (a, b, c, d, e, f))
MAKES_A_COMMUNICATOR(PMPI_Intercomm_merge, (MPI_Comm a, int b, MPI_Comm* c), (a, b, c))
