/* A file that nobody can open any more. */
#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  FILE* file = tmpfile();
  int sum = 0, number;
  for (int it = 0; it < 10; it++) fprintf(file, "%d\n", (int)gsum(it + rank));
  rewind(file);
  while (fscanf(file, "%d", &number) == 1) sum += number;
  printf("%d %d\n", rank, sum);
  MPI_Finalize();
  return 0;
}
