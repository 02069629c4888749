/* Preloaded into ranks: a replacement dies, or hangs, inside MPI_Init, after the call of the function of PMIx that
 * PMIX_FAULT=FUNCTION:kill|hang names. Once in a job: it makes the file CPPC_FAULT_RECORD. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pmix.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int replacement;

/* Before the extension takes the variable away. */
__attribute__((constructor)) static void look(void) { replacement = getenv("CPPC_REPLACEMENT") != NULL; }

static void strike_after(const char* function) {
  const char* const fault = getenv("PMIX_FAULT");
  const size_t length = strlen(function);
  if (!replacement || fault == NULL || strncmp(fault, function, length) != 0 || fault[length] != ':') return;
  const char* const record = getenv("CPPC_FAULT_RECORD");
  if (record == NULL || open(record, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) < 0) return;
  if (strcmp(fault + length + 1, "kill") == 0) raise(SIGKILL);
  for (;;) pause();
}

#define WITH_FAULT(name, parameters, arguments)                      \
  pmix_status_t name parameters {                                    \
    pmix_status_t(*const next) parameters = dlsym(RTLD_NEXT, #name); \
    if (next == NULL) {                                              \
      fprintf(stderr, "pmix_fault: there is no " #name "\n");        \
      abort();                                                       \
    }                                                                \
    const pmix_status_t status = next arguments;                     \
    strike_after(#name);                                             \
    return status;                                                   \
  }

WITH_FAULT(PMIx_Commit, (void), ())
WITH_FAULT(PMIx_Fence_nb,
           (const pmix_proc_t procs[], size_t count, const pmix_info_t info[], size_t infos, pmix_op_cbfunc_t done,
            void* context),
           (procs, count, info, infos, done, context))
WITH_FAULT(PMIx_Lookup, (pmix_pdata_t data[], size_t count, const pmix_info_t info[], size_t infos),
           (data, count, info, infos))
WITH_FAULT(PMIx_Connect, (const pmix_proc_t procs[], size_t count, const pmix_info_t info[], size_t infos),
           (procs, count, info, infos))
