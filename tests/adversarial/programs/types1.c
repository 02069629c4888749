#include <complex.h>
#include <stdbool.h>
#include <time.h>

#include "adversarial.h"
struct bits {
  unsigned a : 3, b : 5, : 0, c : 17;
  signed d : 9;
  unsigned long long e : 40;
  bool f : 1;
};
struct anon {
  int kind;
  union {
    struct {
      double x, y;
    };
    double v[2];
  };
  struct {
    int p, q;
  } in;
};
union plainu {
  int i;
  float f;
  unsigned char b[4];
};
enum color { RED = 1, GREEN = -5 };
typedef double v4 __attribute__((vector_size(32)));
struct inner {
  char *s;
  double (*f)(double);
  const char *lit;
  struct inner *self;
};
static double sq(double x) { return x * x; }
static struct inner tab[] = {[2] = {.lit = "two"}, [0] = {.s = "zero", .f = sq}};
int main(int argc, char **argv) {
  start(&argc, &argv);
  struct bits b = {1 + rank, 2, 70000, -100, 1ULL << 35, true};
  struct anon a = {.kind = 3, .x = 1.5, .y = rank, .in = {4, 5}};
  union plainu u = {.f = 1.5f};
  enum color c = GREEN;
  v4 v = {1, 2, 3, rank};
  long big = 1;
  long double ld = 1.1L;
  double complex z = 1 + 2 * I;
  float complex zf = I;
  bool t = true;
  struct inner inn = {.s = "lit", .f = sq, .lit = __func__}, *in = &inn;
  in->self = in;
  struct tm tm = {.tm_mday = 3};
  double (*mathf)(double) = rank ? &creal + 0 == 0 ? 0 : (double (*)(double))0 : 0;
  double (*fp)(double) = sq;
  const char *names[] = {"a", "bc", "def"};
  const char **np = names;
  wchar_t w[] = L"wide";
  int (*cmp)(const char *, const char *) = strcmp;
  double s = 0;
  (void)mathf;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    b.a++;
    b.c--;
    b.d--;
    b.e += 3;
    a.v[0] += 1;
    a.in.q++;
    u.i++;
    v += 1;
    big += 7;
    ld *= 1.01L;
    z *= 1.1;
    zf += 1;
    s += b.a + b.c + b.d + (double)b.e + b.f + a.x + a.y + u.f + c + v[3] + 0 + (double)ld + creal(z) + crealf(zf) + t +
         in->self->f(2) + strlen(in->lit) + strlen(np[it % 3]) + w[1] + tab[0].f(3) + strlen(tab[2].lit) + tm.tm_mday +
         fp(2) + cmp("a", "b");
    if (it == 3) {
      tab[1].s = "new";
      tab[2].self = &tab[1];
      np++;
      np--;
    }
    if (it > 3) s += strlen(tab[2].self->s);
  }
  printf("%d %.12g %s\n", rank, s, in->lit);
  MPI_Finalize();
  return 0;
}
