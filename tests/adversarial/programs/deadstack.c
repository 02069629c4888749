/* A structure on the stack, of which only the first elements are set, is copied to the heap as a whole: the rest is what
 * functions that have returned left there, of MPI, the dynamic linker and the C library, too. */
#include <dlfcn.h>
#include <regex.h>

#include "adversarial.h"

typedef struct {
  int n;
  double v[2000];
} Cell;

__attribute__((noinline)) static void fill(Cell* to, int step) {
  Cell cell;
  cell.n = step % 10 + 1;
  for (int i = 0; i < cell.n; ++i) cell.v[i] = step + i;
  __asm__ volatile("" : : "r"(&cell) : "memory");
  *to = cell;
}

/* In the stack of a thread of MPI, which is what lies behind a page that is kept free. */
static void* in_stack_of_thread(void) {
  FILE* const maps = fopen("/proc/self/maps", "r");
  char line[512], protection[8];
  unsigned long begin, end, guard_end = 0;
  void* found = NULL;
  while (fgets(line, sizeof line, maps) != NULL) {
    if (sscanf(line, "%lx-%lx %7s", &begin, &end, protection) != 3) continue;
    if (begin == guard_end && end - begin >= 8 << 20 && strcmp(protection, "rw-p") == 0)
      found = (void*)(begin + (end - begin) / 2);
    guard_end = end - begin == 4096 && strcmp(protection, "---p") == 0 ? end : 0;
  }
  fclose(maps);
  return found;
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  void** const left = malloc(sizeof *left);
  *left = in_stack_of_thread();
  if (*left == NULL || dlopen(NULL, RTLD_LAZY) == NULL) return 1; /* with dlopen() more memory is kept free */
  Cell* const cells = calloc(100, sizeof *cells);
  regex_t expression;
  int filled = 0;
  for (int it = 0; it < 12; it++) {
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, it % 2, rank, &comm);
    fill(&cells[filled++], it);
    if (it % 3 == 0) {
      if (regcomp(&expression, it % 2 ? "a|[bc]+" : "[[:space:]]x", REG_EXTENDED) != 0) return 1;
      fill(&cells[filled++], it);
    }
    const double sum = gsum(cells[filled - 1].v[0]);
    fill(&cells[filled++], it);
    printf("%d %d %g %d %g\n", rank, it, sum, regexec(&expression, " x", 0, NULL, 0), cells[filled - 1].v[0]);
    MPI_Comm_free(&comm);
  }
  MPI_Finalize();
  return 0;
}
