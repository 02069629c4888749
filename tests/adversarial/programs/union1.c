#include "adversarial.h"
/* tagged value with a union that holds a pointer: the classic variant */
struct val {
  int tag;
  union {
    long i;
    double d;
    char *s;
  } u;
};
int main(int argc, char **argv) {
  start(&argc, &argv);
  struct val v[3] = {{0, {.i = 5}}, {1, {.d = 2.5}}, {2}};
  v[2].u.s = malloc(8);
  strcpy(v[2].u.s, "abc");
  double s = 0;
  for (int it = 0; it < 10; it++) {
    s += gsum(it);
    for (int i = 0; i < 3; i++) s += v[i].tag == 0 ? v[i].u.i : v[i].tag == 1 ? v[i].u.d : strlen(v[i].u.s);
  }
  printf("%d %.12g\n", rank, s);
  MPI_Finalize();
  return 0;
}
