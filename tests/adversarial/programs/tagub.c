/* Pointers to predefined attributes, asked for once; and which communicators have such: the world and its duplicates. */
#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  int *limit, *wildcard, found, also;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &limit, &found);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &wildcard, &also);
  MPI_Comm comms[4];
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
  MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comms[1]);
  MPI_Comm_dup(comms[0], &comms[2]);
  MPI_Comm_dup(comms[1], &comms[3]);
  int enough = 0;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    enough += *limit >= 32767 && *wildcard >= 0;
  }
  printf("%d %d %d %d", rank, found, also, enough);
  for (int i = 0; i < 4; i++) {
    int *value, tag, code;
    MPI_Comm_get_attr(comms[i], MPI_TAG_UB, &value, &tag);
    MPI_Comm_get_attr(comms[i], MPI_LASTUSEDCODE, &value, &code);
    printf(" %d %d", tag, code);
  }
  printf("\n");
  MPI_Finalize();
  return 0;
}
