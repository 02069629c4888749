// FLAGS -O2 -Wl,--no-as-needed -ljemalloc
/* Linked with another malloc() than the C library's. */
#include "adversarial.h"

int main(int argc, char** argv) {
  start(&argc, &argv);
  double* rows[50] = {0};
  char* text = strdup("x");
  for (int step = 0; step < 12; step++) {
    for (int row = 0; row < 50; row++) {
      rows[row] = realloc(rows[row], (size_t)(row + 1) * (step + 1) * 64);
      rows[row][step] = row * step + rank;
    }
    text = realloc(text, 10 + step * 3000);
    strcat(text, "y");
    char* large = malloc(3 << 20);
    large[step] = 5;
    gsum(step);
    double sum = large[step];
    for (int row = 0; row < 50; row++) sum += rows[row][step];
    printf("%d %d %g %s\n", rank, step, sum, text);
    free(large);
  }
  MPI_Finalize();
}
