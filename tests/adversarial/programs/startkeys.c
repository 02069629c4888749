/* Values of keys that a library's constructor has made, and random numbers that it has seeded. */
#include "adversarial.h"

int *first_value(void);
int *second_value(void);

int main(int argc, char **argv) {
  int drawn = rand();
  start(&argc, &argv);
  for (int it = 0; it < 10; it++) {
    const double sum = gsum(it);
    *first_value() += it;
    *second_value() += 2 * it;
    drawn ^= rand();
    printf("%d %g %d %d %d\n", rank, sum, *first_value(), *second_value(), drawn);
  }
  MPI_Finalize();
  return 0;
}
