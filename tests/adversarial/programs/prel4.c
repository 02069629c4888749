/* An object of a library without source, and memory that the library has made. */
#include "adversarial.h"
double tuning;
void* lib_make(int count);
double lib_get(void* object);
int main(int argc, char** argv) {
  start(&argc, &argv);
  void* object = lib_make(5 + rank);
  double sum = 0;
  for (int it = 0; it < 10; it++) sum += gsum(it) + lib_get(object);
  printf("%d %g\n", rank, sum);
  MPI_Finalize();
  return 0;
}
