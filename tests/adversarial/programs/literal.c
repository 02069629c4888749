/* Compound literals that live over the steps, in a type of variable size among others. */
#include "adversarial.h"
struct point {
  double x, y;
  const int* list;
};
int main(int argc, char** argv) {
  start(&argc, &argv);
  struct point* point = &(struct point){.x = 1.5, .y = rank, .list = (int[]){1, 2, 3}};
  typedef double row[3 + rank];
  row* rows = malloc(2 * sizeof *rows);
  for (int i = 0; i < 3 + rank; i++) rows[0][i] = rows[1][i] = i;
  double sum = 0;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    point->x += point->list[it % 3] + rows[it % 2][2];
    rows[1][2]++;
    sum += point->x + point->y + (double)sizeof *rows;
  }
  printf("%d %g\n", rank, sum);
  MPI_Finalize();
  return 0;
}
