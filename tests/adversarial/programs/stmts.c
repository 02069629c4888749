#include "adversarial.h"
static int g;
static double solve(int n, double x) {
  double s = x;
  for (int it = 0; it < n; it++) {
    s += gsum(it) + g;
    g++;
  }
  return s;
}
static int ok(int n) { return solve(n, 1) > 0; }
static double twice(double (*f)(int, double), int n) { return f(n, 1) + 2; }
struct pt {
  double x, y;
};
static struct pt both(int n) {
  struct pt p = {solve(n, 1), n};
  return p;
}
static double va(int n, ...) {
  va_list ap;
  va_start(ap, n);
  double s = 0;
  for (int i = 0; i < n; i++) {
    s += gsum(i);
    s += va_arg(ap, double);
  }
  va_end(ap);
  return s;
}
static double kr(a, b)
int a;
double b;
{
  for (int i = 0; i < a; i++) b += gsum(i);
  return b;
}
int main(int argc, char **argv) {
  start(&argc, &argv);
  double s = 0;
  const int n = 2 + rank - rank;
  const double k = 1.5 + rank;
  register int rg = 7 + rank;
  int arr[4] = {1, 2, 3, 4};
  double init = solve(n, k);
  s += init;
  if (ok(n) && g > 0) s += 1;
  s += twice(solve, n);
  struct pt p = both(n);
  s += p.x + p.y + both(n).x;
  int i = 0;
  while (ok(n) && i < 2) i++;
  s += i;
  do {
    s += solve(1, k);
  } while (++i < 4);
  switch (ok(2)) {
    case 1:
      s += solve(2, k);
    case 2:
      s += 1;
      break;
    default:
      s = -1;
  }
  s = g > 3 ? solve(n, s) : solve(1, s);
  s += arr[ok(1)];
  {
    double s2 = solve(n, 2), t2 = solve(n, 3);
    s += s2 * t2;
  }
  s += va(4, 1.0 + rank, 2.0, 3.0, 4.0);
  s += kr(3, 2.5);
  s += rg;
  printf("%d %.12g %d\n", rank, s, g);
  MPI_Finalize();
  return 0;
}
