#include "adversarial.h"
struct el {
  int n;
  double *data;
  struct el *next;
  char *uninit;
};
int main(int argc, char **argv) {
  start(&argc, &argv);
  struct el *e = malloc(3 * sizeof *e);
  double s = 0;
  memset(e, 0xAB, 3 * sizeof *e);
  for (int i = 0; i < 3; i++) {
    e[i].n = i;
    e[i].next = i < 2 ? &e[i + 1] : NULL;
    e[i].data = malloc(80);
    e[i].data[3] = i + rank;
  }
  free(e[1].data);
  double *old = e[1].data;
  struct el st;
  st.n = 1;
  st.next = e;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    for (struct el *p = st.next; p; p = p->next)
      if (p->n != 1) s += p->data[3];
    struct el copy = st;
    s += copy.n + (e[1].data == old);
  }
  printf("%d %.12g\n", rank, s);
  MPI_Finalize();
  return 0;
}
