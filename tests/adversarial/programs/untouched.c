/* Arrays and blocks much larger than what is used of them. What nobody has touched is zero; in a new process, too, where
 * the constructor of a library has written to another place of its array than in the first one. */
#include "adversarial.h"

void take_back(void);
long sum_of_large(void);

enum { many = 32 << 20, page = 4096 };
static char array[many];

static long sum_of(const char* memory, long bytes) {
  long sum = 0;
  for (long i = 8; i < bytes; i += page) sum += memory[i];
  return sum;
}

int main(int argc, char** argv) {
  take_back();
  start(&argc, &argv);
  char* const block = malloc(many);
  char* const zeroed = calloc(many, 1);
  memset(block, 1, many / 16);
  for (int it = 0; it < 10; it++) {
    const double sum = gsum(it);
    array[it * 77L * page + 8] = 1;
    zeroed[it * 99L * page + 8] = 1;
    block[many / 16 + it * page + 8] = 1;
    printf("%d %g %ld\n", rank, sum, sum_of(block, many / 16 + (it + 1) * page));
  }
  printf("%ld %ld %ld\n", sum_of(array, many), sum_of(zeroed, many), sum_of_large());
  MPI_Finalize();
  return 0;
}
