#include "adversarial.h"
static void freep(void *p) { free(*(void **)p); }
static int left;
static void count(int *p) {
  left += *p;
  printf("rank %d scope left with %d\n", rank, *p);
}
static void work(int n) {
  __attribute__((cleanup(count))) int weight = n * 7 + rank;
  __attribute__((cleanup(freep))) double *tmp = malloc(n * sizeof *tmp);
  for (int it = 0; it < 5; it++) {
    for (int i = 0; i < n; i++) tmp[i] = it;
    gsum(tmp[1]);
  }
}
int main(int argc, char **argv) {
  start(&argc, &argv);
  work(10);
  work(20);
  printf("%d %d\n", rank, left);
  MPI_Finalize();
  return 0;
}
