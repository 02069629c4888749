/* Memory that functions of the C library ask for: asprintf(), strdup(), strndup(), open_memstream(). */
#define _GNU_SOURCE
#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  char *text, *copy = strdup("a copy"), *part = strndup("a part of it", 6), *memory;
  size_t length;
  asprintf(&text, "rank %d of %d", rank, size);
  FILE* stream = open_memstream(&memory, &length);
  long sum = 0;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    sum += (long)strlen(text) + copy[it % 6] + part[it % 6];
    fprintf(stream, "step %d of %s\n", it, text);
    copy = realloc(copy, 100 + (size_t)it);
  }
  fclose(stream);
  printf("%d %ld %zu %.8s\n", rank, sum, length, memory);
  free(memory);
  MPI_Finalize();
  return 0;
}
