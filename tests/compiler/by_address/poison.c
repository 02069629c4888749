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

static struct range blocks[MOST], objects[MOST], dead[MOST];
static size_t block_count, object_count, dead_count, destroyed;

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
  object_count = dead_count = 0;
  return site > 0;
}

void cppc_object(const void* address, size_t bytes) {
  if (object_count < MOST) objects[object_count++] = (struct range){address, (const char*)address + bytes};
}

static void kill(struct range range) {
  if (range.begin < range.end && dead_count < MOST) dead[dead_count++] = range;
}

void cppc_dead_range(const void* address, size_t bytes) { kill((struct range){address, (const char*)address + bytes}); }

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

static void report(void) { fprintf(stderr, "destroyed: %zu bytes\n", destroyed); }

void cppc_stop_here(void) {
  static int registered;
  if (!registered++) atexit(report);
  for (size_t i = 0; i < dead_count; i++) {
    memset((char*)dead[i].begin, 0xA5, (size_t)(dead[i].end - dead[i].begin));
    destroyed += (size_t)(dead[i].end - dead[i].begin);
  }
}
