/* All random numbers of the C library, from its own states and from those of the program. */
#define _GNU_SOURCE
#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  unsigned short state[3] = {1, 2, (unsigned short)rank};
  struct drand48_data data;
  struct random_data own;
  static char memory[64];
  unsigned seed = 9;
  memset(&own, 0, sizeof own);
  initstate_r(11, memory, sizeof memory, &own);
  srand48_r(3, &data);
  srand(5 + (unsigned)rank);
  srand48(7 + rank);
  double sum = 0;
  for (int it = 0; it < 10; it++) {
    double value;
    int32_t number;
    gsum(it);
    drand48_r(&data, &value);
    random_r(&own, &number);
    sum += rand() % 1000 + (double)(lrand48() % 1000) + erand48(state) + value + number % 1000 + rand_r(&seed) % 1000;
  }
  printf("%d %.12g\n", rank, sum);
  MPI_Finalize();
  return 0;
}
