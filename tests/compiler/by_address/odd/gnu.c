/* What gcc takes and few programs have: translated, it does the same. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 2048 };

static double field[N], other[N];

static double old_style(values, count)
double* values;
int count;
{
  double sum = 0;
  while (count-- > 0) sum += values[count];
  return sum;
}

static double matrix(int rows, int columns, double m[rows][columns]) {
  double sum = 0;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) sum += m[i][j] *= 0.5;
  return sum;
}

static int table(const char* program) {
  static const void* const labels[] = {&&add, &&twice, &&end};
  int value = 1;
  goto* labels[(int)*program++];
add:
  value += 3;
  goto* labels[(int)*program++];
twice:
  value *= 2;
  goto* labels[(int)*program++];
end:
  return value;
}

static void duff(char* to, const char* from, int count) {
  int n = (count + 3) / 4;
  switch (count % 4) {
    case 0:
      do {
        *to++ = *from++;
        __attribute__((fallthrough));
        case 3:
          *to++ = *from++;
          __attribute__((fallthrough));
        case 2:
          *to++ = *from++;
          __attribute__((fallthrough));
        case 1:
          *to++ = *from++;
      } while (--n > 0);
  }
}

static int jump(int x) {
#ifdef __x86_64__
  __asm__ goto("test %0, %0\n\tjnz %l1" : : "r"(x) : "cc" : nonzero);
  return 0;
nonzero:
  return 1;
#else
  return x != 0;
#endif
}

typedef union {
  int* i;
  double* d;
} either __attribute__((transparent_union));

static double first(either of) { return *of.d; }

struct bits {
  unsigned a : 3, b : 7;
  signed c : 9;
};

struct tail {
  int count;
  double values[];
};

typedef double four __attribute__((vector_size(32)));

static void release(char** block) { free(*block); }

static int cleaned(void) {
  char* block __attribute__((cleanup(release))) = malloc(10);
  strcpy(block, "cleaned");
  return (int)strlen(block);
}

#define KIND(x) _Generic((x), int : 1, double : 2, default : 3)
#define FOR_EACH(i, n) for (int i = 0; i < (n); i++)
#define SUM_UP(from, to) MPI_Allreduce(from, to, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF)
#define WHOLE_LOOP(n, sum, all)      \
  for (int i_ = 0; i_ < (n); i_++) { \
    SUM_UP(sum, all);                \
  }

static const int ranges[10] = {[0 ... 4] = 2, [5 ... 9] = 7};

static double odd(int step, struct tail* tail) {
  double m[4][5] = {{step, 1}, {2, [3] = 3}};
  struct bits bits = {.a = 5, .b = 99, .c = -7};
  bits.b += (unsigned)step;
  _Complex double z = 1.0 + 2.0i;
  z *= z;
  __int128 wide = (__int128)step << 70;
  four v = {1, 2, 3, step};
  v = v * v + (four){3, 2, 1, 0};
  char copy[7] = "";
  duff(copy, "abcdef", 6);
  const int twice = ({
    int sum = 0;
    FOR_EACH(i, 3) {
      if (i == 2) break;
      sum += i;
    }
    sum * 2;
  });
  int turns = 0;
  while (({
    const int most = step < 5 ? 3 : 10;
    turns < most;
  }))
    turns++;
  switch (step) {
    case 3 ... 6:
      turns += 100;
      break;
    default:
      turns += 1000;
  }
  tail->values[tail->count - 1] += 1;
  return matrix(4, 5, m) + bits.a + bits.b + bits.c + __real__ z + __imag__ z + (double)(wide >> 69) + v[3] + copy[5] +
         twice + turns + table("\1\0\2") + jump(step) + first(&field[1]) + cleaned() + KIND(step) + KIND(1.0) +
         __builtin_popcount((unsigned)step) + (__builtin_expect(step > 3, 0) ? 1 : 2) + ranges[step % 10] +
         __builtin_types_compatible_p(int, long) + (step ?: 5) + tail->values[tail->count - 1];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  struct tail* tail = calloc(1, sizeof *tail + 3 * sizeof(double));
  tail->count = 3;
  double sum = 0, all = 0;
  FOR_EACH(step, 12) {
    for (int i = 0; i < N; i++) field[i] = other[i] = step + i;
    sum += old_style(field, N) + odd(step, tail) + other[step];
    SUM_UP(&sum, &all);
  }
  WHOLE_LOOP(20, &sum, &all)
  printf("%.17g %.17g\n", sum, all);
  free(tail);
  MPI_Finalize();
  return 0;
}
