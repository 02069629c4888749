/* What windows show lives on, even what the program itself only writes: other ranks read it. Here that is this one. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
enum { N = 20000 };
static double written[N];
static int flag;
static void say(double* words, int count, int step) {
  for (int i = 0; i < count; i++) words[i] = step + i;
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int counter = argc;
  double *own, *copy = malloc(N * sizeof *copy), *bought;
  MPI_Win windows[4];
  MPI_Win_create(written, sizeof written, sizeof *written, MPI_INFO_NULL, MPI_COMM_WORLD, &windows[0]);
  MPI_Win_allocate(N * sizeof *own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &windows[1]);
  MPI_Win_create(&counter, sizeof counter, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &windows[2]);
  MPI_Win_create(&flag, sizeof flag, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &windows[3]);
  MPI_Alloc_mem(N * sizeof *bought, MPI_INFO_NULL, &bought);
  say(bought, N, 2);
  say(own, N, 3);
  say(written, N, 1);
  MPI_Win_fence(0, windows[0]);
  for (int i = 1; i < 4; i++) MPI_Win_lock_all(0, windows[i]);
  double sum = 0;
  for (int step = 0; step < 12; step++) {
    const int one = 1;
    int before = 0, seen = 0;
    double* base;
    MPI_Get(copy, N, MPI_DOUBLE, 0, 0, N, MPI_DOUBLE, windows[0]);
    MPI_Win_fence(0, windows[0]);
    say(written, N, step);
    sum += copy[7] + copy[N - 1] + bought[step];
    MPI_Win_fence(0, windows[0]);
    MPI_Fetch_and_op(&one, &before, MPI_INT, 0, 0, MPI_SUM, windows[2]);
    MPI_Get(&seen, 1, MPI_INT, 0, 0, 1, MPI_INT, windows[3]);
    MPI_Win_flush_local_all(windows[2]);
    MPI_Win_flush(0, windows[3]);
    flag = 3 * step;
    MPI_Win_get_attr(windows[1], MPI_WIN_BASE, &base, &(int){0});
    base[step] += before + seen;
    MPI_Get(&copy[1], 1, MPI_DOUBLE, 0, step, 1, MPI_DOUBLE, windows[1]);
    MPI_Win_flush_all(windows[1]);
    sum += copy[1];
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  printf("%g %d %g\n", sum, counter, own[11]);
  for (int i = 1; i < 4; i++) MPI_Win_unlock_all(windows[i]);
  for (int i = 0; i < 4; i++) MPI_Win_free(&windows[i]);
  MPI_Free_mem(bought);
  free(copy);
  MPI_Finalize();
  return 0;
}
