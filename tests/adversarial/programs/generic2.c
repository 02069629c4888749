/* Pointers to functions and text, and handles of MPI, copied into a block of bytes. */
#include "adversarial.h"
struct entry {
  double (*apply)(double);
  const char* name;
  MPI_Comm communicator;
  MPI_Datatype type;
};
static double twice(double x) { return 2 * x; }
static double half(double x) { return x / 2; }
int main(int argc, char** argv) {
  start(&argc, &argv);
  char* block = malloc(2 * sizeof(struct entry) + 1);
  struct entry entries[2] = {{.apply = twice, .name = "twice", .type = MPI_DOUBLE},
                             {.apply = half, .name = "half", .communicator = MPI_COMM_WORLD}};
  MPI_Comm_dup(MPI_COMM_WORLD, &entries[0].communicator);
  MPI_Type_contiguous(1, MPI_DOUBLE, &entries[1].type);
  MPI_Type_commit(&entries[1].type);
  memcpy(block + 1, entries, sizeof entries);
  memset(entries, 0, sizeof entries);
  double sum = 0;
  for (int it = 0; it < 10; it++) {
    struct entry entry;
    memcpy(&entry, block + 1 + it % 2 * sizeof entry, sizeof entry);
    double value = entry.apply(it + rank);
    MPI_Bcast(&value, 1, entry.type, it % size, entry.communicator);
    sum += value + (double)strlen(entry.name);
    gsum(it);
  }
  printf("%d %g\n", rank, sum);
  MPI_Finalize();
  return 0;
}
