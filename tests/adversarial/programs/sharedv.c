#include "adversarial.h"
#include <sys/mman.h>
#include <sys/shm.h>
#include <fcntl.h>
#include <unistd.h>
int main(int argc, char** argv) {
  start(&argc, &argv);
  int id = shmget(IPC_PRIVATE, 4096, 0600 | IPC_CREAT);
  int* p = shmat(id, NULL, 0);
  shmctl(id, IPC_RMID, NULL);
  for (int i = 0; i < 12; ++i) {
    *p += i;
    gsum(i);
    printf("%d %d %d\n", rank, i, *p);
  }
  MPI_Finalize();
  return 0;
}
