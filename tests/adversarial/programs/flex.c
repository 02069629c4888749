#include "adversarial.h"
struct mat {
  int n;
  double tol;
  double *rows[];
};
struct str {
  int len;
  char txt[];
};
int main(int argc, char **argv) {
  start(&argc, &argv);
  struct mat *m = malloc(sizeof *m + 6 * sizeof(double *));
  m->n = 6;
  m->tol = rank;
  struct str *t = malloc(sizeof *t + 20);
  t->len = 20;
  strcpy(t->txt, "hello flexible");
  t->txt[0] += rank;
  for (int i = 0; i < 6; i++) {
    m->rows[i] = malloc(5 * sizeof(double));
    for (int j = 0; j < 5; j++) m->rows[i][j] = i * j + rank;
  }
  double s = 0;
  for (int it = 0; it < 10; it++) {
    double q = 0;
    for (int i = 0; i < m->n; i++)
      for (int j = 0; j < 5; j++) q += m->rows[i][j];
    s += gsum(q) + t->txt[it];
    m->rows[it % 6][2]++;
  }
  printf("%d %.12g %s\n", rank, s, t->txt);
  MPI_Finalize();
  return 0;
}
