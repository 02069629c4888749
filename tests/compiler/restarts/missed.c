/* Memory that steps fill before they read it, until one step does not: there, what says where it is leads elsewhere. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 40000 };

/* The pointer is left behind, and its memory is another array's. */
static long freed(void) {
  char *memory = malloc(N), *other = NULL;
  long sum = 0;
#pragma cppc checkpoint
  for (int step = 0;; step++) {
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (other != NULL) break;
    memset(memory, step, N);
    sum += memory[7] + memory[N - 1];
    if (step < 9) continue;
    free(memory);
    other = malloc(N);
    for (int i = 0; i < N; i++) other[i] = (char)(i % 5);
  }
  for (int i = 0; i < N; i++) sum += other[i];
  free(other);
  return sum;
}

/* The place is before the array, where another one is; above, nothing of them is declared yet. */
static char before[N], buffer[3 * N], after[N];
static int place = 2;
static long outside(void) {
  long sum = 0;
  for (int i = 0; i < N; i++) before[i] = after[i] = (char)(i % 5);
#pragma cppc checkpoint
  for (int step = 0;; step++) {
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (place < 0) break;
    memset(&buffer[place * N], step, N);
    sum += buffer[place * N + 7];
    if (step % 2 == 1) --place;
  }
  for (int i = 0; i < N; i++) sum += before[i] + after[i];
  return sum;
}

/* Where there is nothing to fill, the place cannot be said. */
static char pieces[2 * N];
static int parts = 5;
static long divided(void) {
  long sum = 0;
#pragma cppc checkpoint
  for (int step = 0;; step++) {
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (parts == 0) break;
    memset(&pieces[N / parts], step, N);
    sum += pieces[N / parts + 7];
    --parts;
  }
  return sum;
}

/* What is freed in the end is none. */
static int yes = 1;
static long none(char* memory, const char* kept, int by_variable) {
  long sum = 0;
#pragma cppc checkpoint
  for (int step = 0;; step++) {
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (step == 2) break;
    memset(memory, step, N);
    sum += memory[7];
  }
  char* gone = NULL;
  if (!yes) gone = memory;
  if (by_variable)
    free(gone);
  else
    free(yes ? NULL : memory);
  for (int i = 0; i < N; i++) sum += kept[i];
  return sum;
}

/* The program ends in a function that reads what is where the memory was. */
static void perhaps_end(long sum, const char* other) {
  if (other == NULL) return;
  for (int i = 0; i < N; i++) sum += other[i];
  printf("%ld\n", sum);
  MPI_Finalize();
  exit(0);
}
static void ended(void) {
  char *memory = malloc(N), *other = NULL;
  long sum = 0;
#pragma cppc checkpoint
  for (int step = 0;; step++) {
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    perhaps_end(sum, other);
    memset(memory, step, N);
    sum += memory[7] + memory[N - 1];
    if (step < 3) continue;
    free(memory);
    other = malloc(N);
    for (int i = 0; i < N; i++) other[i] = (char)(i % 5);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long one = freed();
  const long other = outside();
  printf("%ld %ld %ld\n", one, other, divided());
  yes = argc > 0;
  char* const memory = malloc(N);
  printf("%ld ", none(memory, memory, 0));
  printf("%ld\n", none(memory, memory, 1));
  ended();
}
