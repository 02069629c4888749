#include "adversarial.h"
struct item {
  char name[8];
  double v;
  struct item *next;
};
struct box {
  int n;
  struct item *items;
  double scale;
};
static struct box *mk(int n) {
  struct box *b = malloc(sizeof *b + n * sizeof(struct item));
  b->n = n;
  b->items = (struct item *)(b + 1);
  b->scale = 2;
  for (int i = 0; i < n; i++) {
    sprintf(b->items[i].name, "i%d", i);
    b->items[i].v = i + rank;
    b->items[i].next = i + 1 < n ? &b->items[i + 1] : NULL;
  }
  return b;
}
int main(int argc, char **argv) {
  start(&argc, &argv);
  struct box *b = mk(7);
  double s = 0;
  for (int it = 0; it < 10; it++) {
    double t = 0;
    for (struct item *p = b->items; p; p = p->next) t += p->v * b->scale + p->name[1];
    s += gsum(t);
    b->items[it % 7].v += 1;
  }
  printf("%d %.12g\n", rank, s);
  MPI_Finalize();
  return 0;
}
