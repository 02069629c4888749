/* Messages that may overtake each other, as the program says of its communicators: what one process sends so another one
 * that has not been told so would never take. */
#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  MPI_Comm all, plain;
  MPI_Info hints;
  MPI_Info_create(&hints);
  MPI_Info_set(hints, "mpi_assert_allow_overtaking", "true");
  MPI_Comm_dup(MPI_COMM_WORLD, &plain);
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, hints, &all);
  MPI_Comm_set_info(MPI_COMM_WORLD, hints);
  MPI_Barrier(plain); /* Open MPI does not wait for all to know */
  MPI_Comm_free(&plain);
  MPI_Info_free(&hints);
  long sum = 0;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    for (int turn = 0; turn < 50; turn++) {
      long in[2], out[2] = {it * 100 + rank, it * 200 + rank};
      MPI_Request requests[4];
      MPI_Isend(&out[0], 1, MPI_LONG, 1 - rank, 2 * turn, all, &requests[0]);
      MPI_Isend(&out[1], 1, MPI_LONG, 1 - rank, 2 * turn + 1, MPI_COMM_WORLD, &requests[1]);
      MPI_Irecv(&in[0], 1, MPI_LONG, 1 - rank, 2 * turn, all, &requests[2]);
      MPI_Irecv(&in[1], 1, MPI_LONG, 1 - rank, 2 * turn + 1, MPI_COMM_WORLD, &requests[3]);
      MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
      sum += in[0] + in[1];
    }
  }
  printf("%d %ld\n", rank, sum);
  MPI_Comm_free(&all);
  MPI_Finalize();
  return 0;
}
