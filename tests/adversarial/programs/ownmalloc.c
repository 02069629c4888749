/* A program that defines malloc() and its kin itself. */
#include "adversarial.h"

static char arena[64 << 20] __attribute__((aligned(64)));
static size_t used;

void* malloc(size_t bytes) {
  const size_t begin = __atomic_fetch_add(&used, (bytes + 63) / 32 * 32, __ATOMIC_SEQ_CST);
  if (begin + bytes + 64 > sizeof arena) return NULL;
  *(size_t*)(arena + begin) = bytes;
  return arena + begin + 32;
}
void free(void* block) { (void)block; }
void* calloc(size_t count, size_t bytes) { return malloc(count * bytes); }
void* realloc(void* block, size_t bytes) {
  void* const moved = malloc(bytes);
  const size_t before = block != NULL ? *(size_t*)((char*)block - 32) : 0;
  return before > 0 ? memcpy(moved, block, before < bytes ? before : bytes) : moved;
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  const uintptr_t block = (uintptr_t)malloc(bytes + alignment + 32);
  char* const aligned = (char*)((block + alignment - 1) / alignment * alignment);
  if ((uintptr_t)aligned != block) *(size_t*)(aligned + alignment - 32) = bytes;
  return (uintptr_t)aligned != block ? aligned + alignment : aligned;
}
void* memalign(size_t alignment, size_t bytes) { return aligned_alloc(alignment < 32 ? 32 : alignment, bytes); }
int posix_memalign(void** block, size_t alignment, size_t bytes) {
  *block = memalign(alignment, bytes);
  return 0;
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  double* rows[10];
  for (int it = 0; it < 10; it++) {
    rows[it] = malloc(80 * sizeof *rows[it]);
    rows[it][it] = it;
    const double sum = gsum(it);
    printf("%d %d %g %g\n", rank, it, sum, rows[it / 2][it / 2]);
  }
  MPI_Finalize();
  return 0;
}
