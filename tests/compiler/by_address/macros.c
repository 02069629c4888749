/* Arrays that are written in each step, and read before in code for one compiler, for one processor, for one level of
 * optimization: none of them is dead, as gcc -O2 -mpopcnt compiles it. What is read before the loop only is. */
#include <emmintrin.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

enum { N = 8192 };

static double by_version[N], by_processor[N], by_optimization[N], not_by_clang[N], without_features[N], once[N];

/* A name that only gcc's header has. */
static double read_all(void) {
  double sum = (double)_mm_cvtsi128_si64x(_mm_set_epi64x(7, 0));
#if __GNUC__ >= 9
  sum += by_version[1];
#endif
#ifdef __POPCNT__
  sum += by_processor[1];
#endif
#ifdef __OPTIMIZE__
  sum += by_optimization[1];
#endif
#if !defined(__clang_major__) && !defined(__llvm__)
  sum += not_by_clang[1];
#endif
#if !defined(__has_feature) && !defined(__has_extension)
  sum += without_features[1];
#endif
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int i = 0; i < N; i++) by_version[i] = by_processor[i] = by_optimization[i] = i;
  for (int i = 0; i < N; i++) not_by_clang[i] = without_features[i] = once[i] = i;
  double sum = once[7], all = 0;
  for (int step = 1; step < 12; step++) {
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
    sum += read_all();
    for (int i = 0; i < N; i++) by_version[i] = by_processor[i] = by_optimization[i] = step;
    for (int i = 0; i < N; i++) not_by_clang[i] = without_features[i] = step;
  }
  printf("%.17g %.17g\n", sum, all);
  MPI_Finalize();
  return 0;
}
