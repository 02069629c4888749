/* Until the file HELD is removed, a variable holds an address of the stack that the system gave to the process, which
 * no other process has. Works until the file STOP is there. Usage: outward HELD STOP */
#include <mpi.h>
#include <sys/auxv.h>
#include <unistd.h>

static const void* volatile of_the_system;

int main(int argc, char** argv) {
  int rank = 0, state[2] = {1, 0}; /* held, over */
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  while (argc == 3 && !state[1]) {
    usleep(1000);
    if (rank == 0) {
      state[0] = access(argv[1], F_OK) == 0;
      state[1] = access(argv[2], F_OK) == 0;
    }
    MPI_Bcast(state, 2, MPI_INT, 0, MPI_COMM_WORLD);
    of_the_system = state[0] ? (const void*)getauxval(AT_RANDOM) : NULL;
  }
  MPI_Finalize();
  return 0;
}
