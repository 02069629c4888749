// FLAGS -O2 -D_GNU_SOURCE -rdynamic
/* Pointers that come back from a file, from text, and by the variable's name. */
#include <dlfcn.h>
#include <unistd.h>

#include "adversarial.h"

enum { N = 20000 };
double named[N];
struct record {
  double* values;
};

int main(int argc, char** argv) {
  start(&argc, &argv);
  double *const a = malloc(N * sizeof *a), *const b = malloc(N * sizeof *b), *const c = malloc(N * sizeof *c);
  for (int i = 0; i < N; i++) a[i] = b[i] = c[i] = named[i] = rank + i;
  struct record written = {a}, found, also_written = {c}, also_found;
  FILE *const file = tmpfile(), *const other = tmpfile();
  fwrite(&written, sizeof written, 1, file);
  fflush(file);
  if (write(fileno(other), &also_written, sizeof also_written) < 0) return 1;
  char text[50];
  snprintf(text, sizeof text, "%p", (void*)b);
  for (int it = 1; it <= 10; it++) {
    double s = 0;
    void* address = NULL;
    rewind(file);
    if (fread(&found, sizeof found, 1, file) != 1) return 1;
    lseek(fileno(other), 0, SEEK_SET);
    if (read(fileno(other), &also_found, sizeof also_found) < 0) return 1;
    sscanf(text, "%p", &address);
    const double* const by_name = dlsym(RTLD_DEFAULT, "named");
    for (int i = 0; i < N; i++) s += found.values[i] + ((double*)address)[i] + also_found.values[i] + by_name[i];
    for (int i = 0; i < N; i++) a[i] = it * i + rank;
    for (int i = 0; i < N; i++) b[i] = it * i + rank;
    for (int i = 0; i < N; i++) c[i] = it * i + rank;
    for (int i = 0; i < N; i++) named[i] = it * i + rank;
    printf("%d %d %.17g\n", rank, it, gsum(s));
  }
  MPI_Finalize();
  return 0;
}
