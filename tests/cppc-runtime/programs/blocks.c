/* A heap that changes: blocks come, grow, go, are empty, odd in size, aligned; contents that nobody needs. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "programs.h"

enum { BLOCKS = 40, STEPS = 8, LARGE = 400000 };

struct blocks_shadow {
  unsigned char** blocks;
  size_t* sizes;
  double *large, *scratch;
  uint64_t hash;
  int step;
};
static const cppc_field blocks_shadow_fields[] = {
    FIELD(blocks_shadow, blocks, cppc_type_pointer, 1),     FIELD(blocks_shadow, sizes, cppc_type_pointer, 1),
    FIELD(blocks_shadow, large, cppc_type_pointer, 1),      FIELD(blocks_shadow, scratch, cppc_type_pointer, 1),
    FIELD(blocks_shadow, hash, cppc_type_unsigned_long, 1), FIELD(blocks_shadow, step, cppc_type_int, 1),
};
static const cppc_type blocks_shadow_type = STRUCTURE(blocks_shadow);
static const cppc_place blocks_places[] = {{&blocks_shadow_type, NULL, 0}};
static const cppc_routine blocks_routine = ROUTINE("run_blocks", blocks_places);

static uint64_t mix(uint64_t hash, const unsigned char* bytes, size_t size) {
  for (size_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 1099511628211u;
  return hash;
}

static void change(unsigned char** blocks, size_t* sizes, int step) {
  for (int i = step % 3; i < BLOCKS; i += 3) {
    const size_t before = sizes[i];
    sizes[i] = (size_t)(i * 37 + step * 101) % 3000;
    if (i % 4 == 1) {
      cppc_free(blocks[i]);
      blocks[i] = cppc_aligned_alloc(&cppc_type_bytes, 256, sizes[i]);
      if ((uintptr_t)blocks[i] % 256 != 0) printf("not aligned ");
      memset(blocks[i], step, sizes[i]);
    } else if (sizes[i] > 0) {
      blocks[i] = cppc_realloc(i % 2 ? &cppc_type_double : &cppc_type_unsigned_char, blocks[i], sizes[i]);
      if (sizes[i] > before) memset(blocks[i] + before, i, sizes[i] - before);
    }
  }
}

void run_blocks(const char* variant) {
  (void)variant;
  unsigned char** blocks = NULL;
  size_t* sizes = NULL;
  double *large = NULL, *scratch = NULL;
  uint64_t hash = 14695981039346656037u;
  int step = 0;
  struct blocks_shadow live = {0};
  cppc_frame frame;
  void* before = cppc_malloc(&cppc_type_int, 40); /* in the replacement, too, before the image is there */
  if (cppc_enter(&frame, &blocks_routine, &live) == 1) goto resume_1;
  blocks = cppc_malloc(&cppc_type_pointer, BLOCKS * sizeof *blocks);
  sizes = cppc_calloc(&cppc_type_unsigned_long, BLOCKS, sizeof *sizes);
  for (int i = 0; i < BLOCKS; ++i) blocks[i] = i % 5 ? cppc_malloc(&cppc_type_bytes, 0) : NULL;
  large = cppc_malloc(&cppc_type_double, LARGE * sizeof *large);
  scratch = cppc_malloc(&cppc_type_double, LARGE * sizeof *scratch);
  for (int i = 0; i < LARGE; ++i) large[i] = i;
  for (; step < STEPS; ++step) {
    if (cppc_safe_point(1)) {
      cppc_dead(scratch);
      live = (struct blocks_shadow){blocks, sizes, large, scratch, hash, step};
    resume_1:
      cppc_stop(&frame, 1);
      blocks = live.blocks, sizes = live.sizes, large = live.large, scratch = live.scratch, hash = live.hash;
      step = live.step;
    }
    for (int i = 0; i < LARGE; ++i) scratch[i] = large[i] * step;
    for (int i = 0; i < LARGE; ++i) large[i] += scratch[LARGE - 1 - i];
    change(blocks, sizes, step);
    for (int i = 0; i < BLOCKS; ++i) hash = mix(hash, blocks[i], sizes[i]);
    hash = mix(hash, (unsigned char*)&large[LARGE / 3], sizeof *large);
  }
  printf("%016lx\n", (unsigned long)hash);
  for (int i = 0; i < BLOCKS; ++i) cppc_free(blocks[i]);
  cppc_free(blocks);
  cppc_free(sizes);
  cppc_free(large);
  cppc_free(scratch);
  cppc_free(before);
  cppc_leave(&frame);
}
