#include "adversarial.h"
/* generic vector with elements copied by memcpy */
struct vec {
  size_t n, cap, esz;
  char *data;
};
static void push(struct vec *v, const void *e) {
  if (v->n == v->cap) {
    v->cap = v->cap ? 2 * v->cap : 4;
    v->data = realloc(v->data, v->cap * v->esz);
  }
  memcpy(v->data + v->n++ * v->esz, e, v->esz);
}
static void get(struct vec *v, size_t i, void *e) { memcpy(e, v->data + i * v->esz, v->esz); }
int main(int argc, char **argv) {
  start(&argc, &argv);
  struct vec v = {0, 0, sizeof(double *), NULL};
  for (int i = 0; i < 6; i++) {
    double *d = malloc(sizeof *d);
    *d = i + rank;
    push(&v, &d);
  }
  double s = 0;
  for (int it = 0; it < 10; it++) {
    double t = 0;
    for (size_t i = 0; i < v.n; i++) {
      double *d;
      get(&v, i, &d);
      t += *d;
      *d += 1;
    }
    s += gsum(t);
  }
  printf("%d %g\n", rank, s);
  MPI_Finalize();
  return 0;
}
