#line 1 "windows.c"
/* What a window shows is live: other ranks read it, and write it, in between; what is only filled here is not. */
#include <mpi.h>
enum { N = 4000 };
static double shown[N], hidden[N];

#include <cppc/safe_points.h>
#line 5
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double* own;
  MPI_Win win, other;
  MPI_Win_create(shown, sizeof shown, sizeof *shown, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_allocate(N * sizeof *own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &other);
  for (int step = 0; step < 100; step++) { if (cppc_safe_point(1)) { if ((long)((int)4000) > (long)0) cppc_dead_range(&(hidden[0]), (size_t)((long)((int)4000) - (long)0) * sizeof(hidden[0])); cppc_stop_here(); } 
    for (int i = 0; i < N; i++) shown[i] = step + i;
    for (int i = 0; i < N; i++) hidden[i] = step - i;
    for (int i = 0; i < N; i++) own[i] = shown[i] + hidden[i];
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_free(&win);
  MPI_Win_free(&other);
  MPI_Finalize();
  return 0;
}

