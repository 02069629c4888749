/* What cannot be carried over, one case a variant. The program itself is right and goes on. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "programs.h"

enum { STEPS = 3 };

struct pair {
  void* pointer;
  int number;
};
static const cppc_field pair_fields[] = {
    FIELD(pair, pointer, cppc_type_pointer, 1),
    FIELD(pair, number, cppc_type_int, 1),
};
static const cppc_type pair_type = STRUCTURE(pair);

static const cppc_field overlapping_fields[] = {FIELD(pair, pointer, cppc_type_pointer, 1),
                                                {"alias", 4, &cppc_type_int, 1}};
static const cppc_type overlapping_type = {CPPC_STRUCT, sizeof(struct pair), "overlapping", overlapping_fields, 2};

struct refused_shadow {
  void* pointer;
  int step;
  void* local_at;
};
static const cppc_field refused_shadow_fields[] = {
    FIELD(refused_shadow, pointer, cppc_type_pointer, 1),
    FIELD(refused_shadow, step, cppc_type_int, 1),
};
static const cppc_type refused_shadow_type = STRUCTURE(refused_shadow);
static const cppc_place refused_places[] = {{&refused_shadow_type, NULL, 0}};
static const cppc_routine refused_routine = ROUTINE("run_refused", refused_places);

static const cppc_variable inner_variables[] = {
    {"local", &cppc_type_int, 1, offsetof(struct refused_shadow, local_at), 0},
};
static const cppc_place inner_places[] = {{NULL, inner_variables, 1}};
static const cppc_routine inner_routine = ROUTINE("inner", inner_places);

static struct pair pairs[5];
static double numbers[4];

static void register_globals(const char* variant) {
  const int defect = strcmp(variant, "type") == 0;
  const cppc_global globals[] = {
      {"pairs", pairs, defect ? &overlapping_type : &pair_type, 5},
      {"numbers", numbers, &cppc_type_double, 4},
  };
  const cppc_global again = {"numbers", numbers, &cppc_type_double, 4};
  const cppc_global half = {"half", &numbers[2], &cppc_type_double, 2};
  declare_globals(globals, 2);
  if (strcmp(variant, "twice") == 0) declare_globals(&again, 1);
  if (strcmp(variant, "overlap") == 0) declare_globals(&half, 1);
}

/* Reaches the safe point one frame further in. */
static int inner(int step, struct refused_shadow* outer) {
  int local = step;
  struct refused_shadow live = {.local_at = &local};
  cppc_frame frame;
  cppc_enter(&frame, &inner_routine, &live);
  if (cppc_safe_point(2)) cppc_stop(&frame, 1);
  outer->pointer = NULL;
  cppc_leave(&frame);
  return local;
}

void run_refused(const char* variant) {
  register_globals(variant);
  struct refused_shadow live = {0};
  void* block = malloc(8);
  struct pair* heap = cppc_calloc(&pair_type, 3, sizeof *heap);
  struct pair* broken = NULL;
  void** unknown = cppc_malloc(&cppc_type_bytes, 8 * sizeof *unknown);
  long* integers = cppc_calloc(&cppc_type_long, 8, sizeof *integers);
  int undeclared = 0, number = -1;
  cppc_frame frame;
  cppc_enter(&frame, &refused_routine, &live);

  if (strcmp(variant, "stray") == 0) heap[2].pointer = block;
  if (strcmp(variant, "undeclared") == 0) pairs[1].pointer = &undeclared;
  if (strcmp(variant, "unknown") == 0) unknown[5] = &heap[1];
  if (strcmp(variant, "hidden") == 0) integers[3] = (long)&heap[2];
  if (strcmp(variant, "before") == 0) pairs[3].pointer = (char*)heap - sizeof(double);
  if (strcmp(variant, "number") == 0) number = open("/proc/self/exe", O_RDONLY);
  if (strcmp(variant, "broken") == 0) broken = cppc_malloc(&pair_type, 2 * sizeof *broken + sizeof(void*));

  int sum = 0;
  for (int step = 0; step < STEPS; ++step) {
    live.step = step;
    if (strcmp(variant, "place") != 0) cppc_at(&frame, 1);
    sum += inner(step, &live);
  }
  printf("%d\n", sum);
  if (number >= 0) close(number);
  cppc_free(broken);
  cppc_free(integers);
  cppc_free(unknown);
  cppc_free(heap);
  free(block);
  cppc_leave(&frame);
}
