#include "adversarial.h"
/* many small objects; realloc with interior pointers; free and reuse; zero sizes; alignment */
struct n {
  struct n *next, **pprev;
  double v;
  int id;
};
int main(int argc, char **argv) {
  start(&argc, &argv);
  struct n *head = NULL;
  double s = 0;
  char *z = malloc(0);
  double *al;
  posix_memalign((void **)&al, 4096, 800);
  size_t cap = 4, cnt = 0;
  double *arr = malloc(cap * sizeof *arr), *mid = arr + 2;
  for (int i = 0; i < 100000; i++) {
    struct n *e = malloc(sizeof *e);
    e->v = i % 10 + rank;
    e->id = i;
    e->next = head;
    e->pprev = &head;
    if (head) head->pprev = &e->next;
    head = e;
  }
  for (int i = 0; i < 100; i++) al[i] = i;
  for (int it = 0; it < 10; it++) {
    s += gsum(it);
    for (struct n *e = head, *x; e; e = x) {
      x = e->next;
      if (e->id % 10 == it) {
        *e->pprev = e->next;
        if (x) x->pprev = e->pprev;
        free(e);
      } else
        s += e->v * 1e-3;
    }
    while (cnt < (size_t)(it + 1) * 50) {
      if (cnt == cap) {
        cap *= 2;
        size_t o = mid - arr;
        arr = realloc(arr, cap * sizeof *arr);
        mid = arr + o;
      }
      arr[cnt++] = it;
    }
    s += *mid + arr[cnt - 1] + al[it];
    s += ((uintptr_t)al % 4096 == 0) + (z != NULL);
  }
  printf("%d %.12g\n", rank, s);
  MPI_Finalize();
  return 0;
}
