/* Functions of the program's own whose names the C library has, too: a generator of numbers as BSD's, which writes more
 * into a state than the C library's, and names that C leaves to programs. Nobody else may call them. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "adversarial.h"
static long numbers[32], *state = numbers;
static int wanted, calls;
static void count(const char* name) {
  calls++;
  if (!wanted) printf("%s() was called by somebody else\n", name);
}
void srandom(unsigned seed) {
  for (int i = 0; i < 32; i++) state[i] = seed = seed * 1103515245u + 12345u;
}
char* initstate(unsigned seed, char* memory, size_t bytes) {
  (void)bytes;
  count("initstate");
  char* const before = (char*)state;
  state = (long*)memory;
  srandom(seed);
  return before;
}
char* setstate(char* memory) {
  count("setstate");
  char* const before = (char*)state;
  state = (long*)memory;
  return before;
}
long random(void) {
  long sum = 0;
  for (int i = 31; i > 0; i--) sum += state[i] = state[i] * 31 + state[i - 1];
  return sum & 0x7fffffff;
}
unsigned short* seed48(unsigned short seed[3]) {
  count("seed48");
  return seed;
}
void lcong48(unsigned short parameters[7]) {
  (void)parameters;
  count("lcong48");
}
int link(const char* from, const char* to) {
  count("link");
  return from == to;
}
int truncate(const char* path, off_t length) {
  count("truncate");
  return path[0] + (int)length;
}
mode_t umask(mode_t mask) {
  count("umask");
  return mask + 1;
}
int main(int argc, char** argv) {
  start(&argc, &argv);
  static long own[32];
  unsigned short seed[7] = {1};
  wanted = 1;
  initstate(5, (char*)own, sizeof own);
  wanted = 0;
  for (int it = 0; it < 10; it++) {
    const long next = random();
    const long sum = gsum(it);
    wanted = 1;
    seed48(seed), lcong48(seed);
    const int all = link("a", "b") + truncate("a", it) + (int)umask(3);
    wanted = 0;
    printf("%d %ld %ld %d %d\n", rank, next, sum, all, calls);
  }
  MPI_Finalize();
  return 0;
}
