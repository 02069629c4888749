/* Works until it is sent SIGUSR2, and tells how many of its ranks have been sent SIGUSR1. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile sig_atomic_t told = 0, ends = 0;

static void handle(int number) {
  if (number == SIGUSR1)
    told = 1;
  else
    ends = 1;
}

int main(int argc, char** argv) {
  signal(SIGUSR1, handle);
  signal(SIGUSR2, handle);
  MPI_Init(&argc, &argv);
  int rank, all[2] = {0, 0};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  while (all[1] == 0) {
    int own[2] = {told, ends};
    MPI_Allreduce(own, all, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    usleep(1000);
  }
  if (rank == 0) printf("%d ranks\n", all[0]);
  MPI_Finalize();
  return 0;
}
