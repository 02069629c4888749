/* An extension that tells on standard error what is called. WATCHING=version, hooks, entry, start: it has that defect;
 * replacement: it says that the process takes over a rank; calls: it watches calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cppc/hooks.h"

static const cppc_runtime* runtime;
static volatile uint32_t ring = 1;

static int wants(const char* name) {
  const char* wanted = getenv("WATCHING");
  return wanted != NULL && strcmp(wanted, name) == 0;
}

static cppc_collective_count* open_count(uint64_t id, uint32_t size, uint64_t begun) { return NULL; }
static void close_count(cppc_collective_count* count) {}
static cppc_current_operation* current(void) {
  static cppc_current_operation operation;
  return &operation;
}
static int withdrawn(cppc_collective_count* count) { return 0; }
static int reached_call(int collective, int waits_for) { return 0; }
static void enter(int waits_for, cppc_inside what) {}
static void moved_on(void) {}
static const cppc_calls calls = {open_count, close_count, current, withdrawn, reached_call, enter, moved_on};

static cppc_status start(MPI_Comm* world, int* rank, int* size) {
  if (wants("start")) return CPPC_ERR_REFUSED;
  PMPI_Comm_dup(MPI_COMM_WORLD, world);
  PMPI_Comm_rank(*world, rank);
  PMPI_Comm_size(*world, size);
  runtime->watch(&ring);
  if (wants("calls")) fprintf(stderr, "stops: %d\n", runtime->watch_calls(&ring, &calls));
  fprintf(stderr, "start\n");
  return CPPC_OK;
}

static int reached(uint64_t passed, unsigned site) {
  fprintf(stderr, "reached %d at %u\n", (int)passed, site);
  return passed == 2;
}

static cppc_status visit(const cppc_block* block, void* context) {
  fprintf(stderr, "section %d %s\n", block->section, block->name);
  ++*(int*)context;
  return CPPC_OK;
}

static void stopped(uint64_t passed, unsigned site) {
  int blocks = 0;
  const cppc_status status = runtime->capture(visit, &blocks);
  fprintf(stderr, "stopped %d at %u: capture %d, %d blocks\n", (int)passed, site, status, blocks);
}

static cppc_status fetch(void) {
  fprintf(stderr, "fetch\n");
  return CPPC_ERR_STATE;
}

static cppc_status join(void) { return CPPC_ERR_STATE; }

static void fail(cppc_status status) { fprintf(stderr, "fail %d\n", status); }

static void finish(void) {
  const int blocks = 0;
  char reason[200];
  fprintf(stderr, "finish, capture now: %d\n", runtime->capture(visit, (void*)&blocks));
  runtime->reason(reason, sizeof reason);
  fprintf(stderr, "because: %s\n", reason);
  runtime->reason(reason, 5);
  fprintf(stderr, "in short: %s\n", reason);
}

__attribute__((visibility("default"))) cppc_status cppc_extension(const cppc_runtime* offered, cppc_hooks* hooks) {
  runtime = offered;
  *hooks = (cppc_hooks){.version = CPPC_HOOKS_VERSION + (wants("version") ? 1 : 0),
                        .replacement = wants("replacement"),
                        .start = start,
                        .reached = reached,
                        .stopped = stopped,
                        .fetch = fetch,
                        .join = join,
                        .fail = fail,
                        .finish = wants("hooks") ? NULL : finish};
  return wants("entry") ? CPPC_ERR_MISMATCH : CPPC_OK;
}
