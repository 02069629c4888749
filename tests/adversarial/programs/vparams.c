/* Arrays of variable size as arguments, and alloca() in the loop's function. */
#include <alloca.h>

#include "adversarial.h"
static double trace(int n, int m, double a[n][m], double (*b)[m]) {
  double* extra = alloca((size_t)n * sizeof *extra);
  double sum = 0;
  for (int i = 0; i < n; i++) extra[i] = i;
  for (int it = 0; it < 5; it++) {
    sum += gsum(it);
    for (int i = 0; i < n; i++) sum += a[i][i % m] * b[i][0] + extra[i]++;
    a[it % n][0]++;
  }
  return sum;
}
int main(int argc, char** argv) {
  start(&argc, &argv);
  const int n = 4 + rank, m = 3;
  double a[n][m], (*b)[m] = malloc(sizeof(double) * (size_t)(n * m)), sum = 0;
  for (int i = 0; i < n * m; i++) a[i / m][i % m] = b[i / m][i % m] = i;
  sum += trace(n, m, a, b);
  sum += trace(n, m, b, a);
  printf("%d %.12g\n", rank, sum);
  MPI_Finalize();
  return 0;
}
