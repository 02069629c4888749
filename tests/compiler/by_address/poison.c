/* A runtime that destroys, at every safe point, what the program says to be dead there: a program that then prints what
 * it prints without that has told the truth. Blocks of the heap are known by the linker's --wrap of malloc() and kin.
 */
#include <cppc/cppc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 100000 };

struct range {
  const char *begin, *end;
};

static const volatile uint32_t rung = 1;
cppc_control cppc_control_block = {&rung, 0};

static struct range blocks[MOST], objects[MOST], dead[MOST], ways[MOST];
static size_t block_count, object_count, dead_count, destroyed;
static size_t ways_count, way_begin, ways_begun; /* of ranges, those of the last way, and of ways */

void* __real_malloc(size_t bytes);
void* __real_calloc(size_t number, size_t bytes);
void* __real_realloc(void* block, size_t bytes);
void __real_free(void* block);

static void* remember(void* block, size_t bytes) {
  if (block != NULL && block_count < MOST) blocks[block_count++] = (struct range){block, (char*)block + bytes};
  return block;
}

static void forget(const void* block) {
  for (size_t i = 0; i < block_count; i++)
    if (block != NULL && blocks[i].begin == block) blocks[i--] = blocks[--block_count];
}

void* __wrap_malloc(size_t bytes) { return remember(__real_malloc(bytes), bytes); }
void* __wrap_calloc(size_t number, size_t bytes) { return remember(__real_calloc(number, bytes), number * bytes); }
void __wrap_free(void* block) {
  forget(block);
  __real_free(block);
}
void* __wrap_realloc(void* block, size_t bytes) {
  forget(block);
  return remember(__real_realloc(block, bytes), bytes);
}

int cppc_safe_point_rung(unsigned site) {
  object_count = dead_count = ways_count = way_begin = ways_begun = 0;
  return site > 0;
}

void cppc_object(const void* address, size_t bytes) {
  if (object_count < MOST) objects[object_count++] = (struct range){address, (const char*)address + bytes};
}

static void kill(struct range range) {
  if (ways_begun > 0) {
    if (range.begin < range.end && ways_count < MOST) ways[ways_count++] = range;
    return;
  }
  if (range.begin < range.end && dead_count < MOST) dead[dead_count++] = range;
}

void cppc_dead_range(const void* address, size_t bytes) { kill((struct range){address, (const char*)address + bytes}); }

/* Leaves, of the ways that have ended, what is on all of them. */
static void end_way(void) {
  const size_t first = ways_count;
  if (ways_begun > 1) {
    for (size_t a = 0; a < way_begin; a++)
      for (size_t b = way_begin; b < first; b++) {
        const struct range both = {ways[a].begin > ways[b].begin ? ways[a].begin : ways[b].begin,
                                   ways[a].end < ways[b].end ? ways[a].end : ways[b].end};
        if (both.begin < both.end && ways_count < MOST) ways[ways_count++] = both;
      }
    memmove(ways, ways + first, (ways_count - first) * sizeof *ways);
    ways_count -= first;
  }
  way_begin = ways_count;
}

void cppc_dead_way(void) {
  if (ways_begun > 0) end_way();
  ways_begun++;
}

void cppc_dead_ways_end(void) {
  if (ways_begun > 0) end_way();
  ways_begun = 0;
  for (size_t i = 0; i < ways_count; i++) kill(ways[i]);
  ways_count = way_begin = 0;
}

static int leads_into(const void* pointer, struct range object) {
  return (const char*)pointer >= object.begin && (const char*)pointer <= object.end;
}

static void kill_in(struct range object, struct range range, const void* within, const void* const* others,
                    size_t count) {
  if (range.begin >= object.end || range.end <= object.begin) return;
  if (within != NULL && (!leads_into(within, object) || within == object.end)) return;
  for (size_t i = 0; i < count; i++)
    if (leads_into(others[i], object)) return;
  if (range.begin < object.begin) range.begin = object.begin;
  if (range.end > object.end) range.end = object.end;
  kill(range);
}

void cppc_dead_range_within(const void* address, size_t bytes, const void* within, const void* const* others,
                            size_t count) {
  const struct range range = {address, (const char*)address + bytes};
  for (size_t i = 0; i < block_count; i++) kill_in(blocks[i], range, within, others, count);
  for (size_t i = 0; i < object_count; i++) kill_in(objects[i], range, within, others, count);
}

void cppc_dead_range_apart(const void* address, size_t bytes, const void* const* others, size_t count) {
  cppc_dead_range_within(address, bytes, NULL, others, count);
}

static int by_begin(const void* one, const void* other) {
  const struct range *a = one, *b = other;
  return a->begin < b->begin ? -1 : a->begin > b->begin;
}

static void report(void) { fprintf(stderr, "destroyed: %zu bytes\n", destroyed); }

void cppc_stop_here(void) {
  static int registered;
  if (!registered++) atexit(report);
  qsort(dead, dead_count, sizeof *dead, by_begin);
  for (size_t i = 0; i < dead_count; i++) { /* some are named twice */
    const char* const begin = i > 0 && dead[i].begin < dead[i - 1].end ? dead[i - 1].end : dead[i].begin;
    if (dead[i].end <= begin) {
      dead[i].end = begin;
      continue;
    }
    memset((char*)begin, 0xA5, (size_t)(dead[i].end - begin));
    destroyed += (size_t)(dead[i].end - begin);
  }
}
