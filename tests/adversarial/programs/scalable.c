// FLAGS -O2 -Wl,--no-as-needed -l:libtbbmalloc.so.2
/* Memory of TBB's allocator, which libraries in C++ use beside malloc(). */
#include "adversarial.h"

void* scalable_malloc(size_t bytes);
void* scalable_realloc(void* block, size_t bytes);
void scalable_free(void* block);

int main(int argc, char** argv) {
  start(&argc, &argv);
  double* rows[50] = {0};
  double sum = 0;
  for (int step = 0; step < 12; step++) {
    for (int row = 0; row < 50; row++) {
      rows[row] = scalable_realloc(rows[row], (size_t)(row + 1) * (step + 1) * 64);
      rows[row][step] = row * step + rank;
    }
    char* large = scalable_malloc(3 << 20);
    large[step << 16] = 5;
    sum += gsum(step) + large[step << 16];
    for (int row = 0; row < 50; row++) sum += rows[row][step];
    if (step % 2) scalable_free(large);
  }
  printf("%d %g\n", rank, sum);
  MPI_Finalize();
  return 0;
}
