// FLAGS -O2 -Wl,--no-as-needed -l:libgfortran.so.5
#include "adversarial.h"
/* A library whose constructor keeps names that strdup() has made in blocks of its own: Fortran's runtime, which LAPACK
   and others need. */
int main(int argc, char **argv) {
  double s = 0;
  start(&argc, &argv);
  for (int i = 0; i < 10; i++) s += gsum(i + rank);
  printf("%d %g\n", rank, s);
  MPI_Finalize();
  return 0;
}
