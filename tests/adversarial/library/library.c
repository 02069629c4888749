#include <stdlib.h>
static unsigned st;
extern double tuning;
void lib_seed(int s) { st = s; }
double lib_next(void) {
  st = st * 1103515245u + 12345u;
  return (st >> 16) % 1000;
}
double lib_use(void) { return tuning; }
struct h {
  int n;
  double *v;
};
void *lib_make(int n) {
  struct h *h = malloc(sizeof *h);
  h->n = n;
  h->v = malloc(n * 8);
  for (int i = 0; i < n; i++) h->v[i] = i;
  return h;
}
double lib_get(void *p) {
  struct h *h = p;
  return h->v[h->n - 1]++;
}
double lib_apply(double (*f)(int, void *), int n, void *c) {
  double s = 0;
  for (int i = 0; i < n; i++) s += f(i, c);
  return s;
}
