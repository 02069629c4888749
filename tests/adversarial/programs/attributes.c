/* What the kernel keeps of a process, set by the program. */
#define _GNU_SOURCE
#include <linux/ioprio.h>
#include <sched.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "adversarial.h"

static void write_to(const char* path, const char* text) {
  FILE* file = fopen(path, "w");
  if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) perror(path);
}

static long read_from(const char* path, const char* form) {
  FILE* file = fopen(path, "r");
  long value = -1;
  if (file == NULL || fscanf(file, form, &value) != 1) perror(path);
  if (file != NULL) fclose(file);
  return value;
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  const struct sched_param param = {0};
  if (sched_setscheduler(0, SCHED_BATCH, &param) != 0) perror("SCHED_BATCH");
  syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, 6));
  personality(personality(0xffffffff) | ADDR_COMPAT_LAYOUT);
  prctl(PR_SET_TIMERSLACK, 123000, 0, 0, 0);
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  write_to("/proc/self/oom_score_adj", "321");
  write_to("/proc/self/coredump_filter", "0x11");
  for (int it = 0; it < 10; it++) {
    gsum(it);
    int reaper = 0;
    prctl(PR_GET_CHILD_SUBREAPER, &reaper, 0, 0, 0);
    printf("%d %d: %d %ld %d %d %d %d %ld %lx %d\n", rank, it, sched_getscheduler(0) == SCHED_BATCH,
           syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, 0) & IOPRIO_PRIO_MASK, prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0),
           prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0), reaper, prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0),
           read_from("/proc/self/oom_score_adj", "%ld"), read_from("/proc/self/coredump_filter", "%lx"),
           (personality(0xffffffff) & ADDR_COMPAT_LAYOUT) != 0);
  }
  MPI_Finalize();
  return 0;
}
