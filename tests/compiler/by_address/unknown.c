/* Arrays that are written in each step, and read before in ways that do not look like it: none of them is dead; what is read before the
 * loop only is. */
#include <mpi.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

enum { N = 8192 };

typedef double four __attribute__((vector_size(32)));
struct pair {
  double* values[2];
};

static int atomic[N];
static double assembler[N], assembler_memory[N], cleaned[N], copied[N], shifted[N], member[N];
static double handled[N], destroyed[N], listed[N], given[N];
static char text[N];
static four vectors[N / 4];
static double total;

static double by_assembler(void) {
#ifdef __x86_64__
  double value, other;
  const double* where = assembler;
  __asm__ volatile("movsd (%1), %0" : "=x"(value) : "r"(where) : "memory");
  __asm__("movsd %1, %0" : "=x"(other) : "m"(assembler_memory[0]));
  return value + other;
#else
  return assembler[0] + assembler_memory[0];
#endif
}

static void say(char* to, const char* format, ...) {
  va_list rest;
  va_start(rest, format);
  vsnprintf(to, 8, format, rest);
  va_end(rest);
}

static double next(va_list rest) { return *va_arg(rest, double*); }

static double first_of(int count, ...) {
  va_list rest;
  va_start(rest, count);
  const double value = next(rest);
  va_end(rest);
  return value;
}

static void add(double** to) { total += **to; }

static void by_cleanup(void) {
  double* to __attribute__((cleanup(add))) = cleaned;
  (void)to;
}

static double by_copy(void) {
  double value;
  __builtin_memcpy(&value, copied, sizeof value);
  return value;
}

static double by_number(void) {
  const uintptr_t half = (uintptr_t)shifted >> 1;
  return *(double*)(half << 1);
}

static struct pair both(void) {
  struct pair made = {{member, member}};
  return made;
}

static void handler(int signal) { total += signal > 0 ? handled[0] : 0; }

__attribute__((destructor)) static void last(void) { printf("last %g\n", destroyed[0]); }

static void fill(int step) {
  for (int i = 0; i < N; i++) atomic[i] = step;
  for (int i = 0; i < N; i++) assembler[i] = assembler_memory[i] = cleaned[i] = copied[i] = step;
  for (int i = 0; i < N; i++) shifted[i] = member[i] = handled[i] = listed[i] = step;
  for (int i = 0; i < N; i++) text[i] = 0;
  for (int i = 0; i < N / 4; i++) vectors[i] = (four){step, step, step, step};
  text[0] = (char)('a' + step);
}

static double read_all(void) {
  char said[8];
  double sum = __atomic_load_n(&atomic[1], __ATOMIC_SEQ_CST) + by_assembler() + by_copy() + by_number();
  by_cleanup();
  say(said, "%s", text);
  sum += said[0] + first_of(1, listed) + both().values[1][0] + vectors[3][1];
  raise(SIGUSR1);
  return sum + total;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  signal(SIGUSR1, handler);
  destroyed[0] = 42;
  fill(0);
  for (int i = 0; i < N; i++) given[i] = i;
  double sum = given[7], all = 0;
  for (int step = 1; step < 12; step++) {
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
    sum += read_all();
    fill(step);
  }
  printf("%.17g %.17g\n", sum, all);
  MPI_Finalize();
  return 0;
}
