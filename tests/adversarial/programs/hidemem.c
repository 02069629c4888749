/* A pointer as the bytes of a whole number. */
#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  double* value = malloc(sizeof *value);
  uint64_t hidden;
  *value = 1 + rank;
  memcpy(&hidden, &value, sizeof hidden);
  hidden ^= UINT64_C(0x5555555555555555);
  value = NULL;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    const uint64_t shown = hidden ^ UINT64_C(0x5555555555555555);
    double* again;
    memcpy(&again, &shown, sizeof again);
    *again += it;
    if (it == 9) value = again;
  }
  printf("%d %g\n", rank, *value);
  MPI_Finalize();
  return 0;
}
