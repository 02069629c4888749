#include "adversarial.h"

struct lst {
  double v;
  struct lst *next;
  char tag[4];
};
static inline struct lst *lst_push(struct lst *l, double v) {
  struct lst *n = malloc(sizeof *n);
  n->v = v;
  n->next = l;
  strcpy(n->tag, "ok");
  return n;
}
static inline double lst_sum(struct lst *l) {
  double s = 0;
  for (; l; l = l->next) s += l->v + l->tag[0];
  return s;
}
static inline int counter(void) {
  static int c;
  return c++;
}
static inline double lib_step(struct lst *l) {
  double s = 0;
  for (int i = 0; i < 2; i++) s += gsum(l->v);
  return s;
}
void other(struct lst **l);
