#include "hdr.h"

#include "adversarial.h"
int main(int argc, char **argv) {
  start(&argc, &argv);
  struct lst *l = NULL;
  double s = 0;
  for (int i = 0; i < 20; i++) l = lst_push(l, i + rank);
  other(&l);
  for (int it = 0; it < 10; it++) {
    s += gsum(it) + lst_sum(l) + counter();
    l->v += 1;
    s += lib_step(l);
  }
  printf("%d %.12g\n", rank, s);
  MPI_Finalize();
  return 0;
}
