/* Functions that run at the end, and what only they read. */
#define _DEFAULT_SOURCE
#include "adversarial.h"
static int made, counted[10];
static char* text;
__attribute__((constructor)) static void before(void) { made = 1; }
__attribute__((destructor)) static void after(void) {
  int sum = 0;
  for (int i = 0; i < 10; i++) sum += counted[i];
  printf("end of %s: %d %d\n", text, sum, made);
}
static void first(void) { printf("first of %s\n", text); }
static void last(int status, void* argument) { printf("last of %s: %d %d\n", text, status, *(int*)argument); }
int main(int argc, char** argv) {
  start(&argc, &argv);
  int* argument = malloc(sizeof *argument);
  *argument = 40 + rank;
  text = malloc(16);
  snprintf(text, 16, "rank %d", rank);
  atexit(first);
  on_exit(last, argument);
  for (int it = 0; it < 10; it++) counted[it] = (int)gsum(it);
  MPI_Finalize();
  return 0;
}
