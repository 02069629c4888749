#include "hold.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static bool is_among(const char* steps, long step) {
  for (const char* next = steps; *next != '\0';) {
    char* end = NULL;
    if (strtol(next, &end, 10) == step) return true;
    next = *end == ',' ? end + 1 : end;
  }
  return false;
}

void hold_at(const struct hold* hold, int rank, long step) {
  if (hold->file == NULL || hold->steps == NULL || rank != 0 || !is_among(hold->steps, step)) return;
  printf("hold: at step %ld until %s exists\n", step, hold->file);
  fflush(stdout);
  const struct timespec interval = {.tv_nsec = 10 * 1000 * 1000};
  while (access(hold->file, F_OK) != 0) nanosleep(&interval, NULL);
  unlink(hold->file);
}
