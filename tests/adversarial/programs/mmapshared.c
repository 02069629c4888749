/* A file mapped so that it is written to. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  char name[32];
  snprintf(name, sizeof name, "mmapshared.%d", rank);
  const int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (ftruncate(file, 4096) != 0) return 1;
  int* memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  for (int it = 0; it < 10; it++) memory[it] = (int)gsum(it + rank);
  munmap(memory, 4096);
  int sum = 0, value;
  FILE* again = fopen(name, "r");
  while (fread(&value, sizeof value, 1, again) == 1) sum += value;
  printf("%d %d\n", rank, sum);
  MPI_Finalize();
  return 0;
}
