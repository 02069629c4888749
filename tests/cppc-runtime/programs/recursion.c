/* A chain through the frames of a recursive function: every frame's variable points to those of its caller and its
 * callee; a global and a heap block point into the stack as well. Safe points lie at every depth, on the way down and
 * up. */
#include <stdio.h>

#include "programs.h"

enum { DEPTH = 4 };

struct link {
  long value;
  struct link *outer, *inner;
};
static const cppc_field link_fields[] = {
    FIELD(link, value, cppc_type_long, 1),
    FIELD(link, outer, cppc_type_pointer, 1),
    FIELD(link, inner, cppc_type_pointer, 1),
};
static const cppc_type link_type = STRUCTURE(link);

static struct link* deepest;
static struct link** on_heap; /* one pointer to the deepest link */

struct descend_shadow {
  int depth;
  struct link* outer;
  long sum;
  void* own_at;
};
static const cppc_field descend_shadow_fields[] = {
    FIELD(descend_shadow, depth, cppc_type_int, 1),
    FIELD(descend_shadow, outer, cppc_type_pointer, 1),
    FIELD(descend_shadow, sum, cppc_type_long, 1),
};
static const cppc_type descend_shadow_type = STRUCTURE(descend_shadow);
static const cppc_variable descend_variables[] = {
    {"own", &link_type, 1, offsetof(struct descend_shadow, own_at), 0},
};
static const cppc_place descend_places[] = {
    {&descend_shadow_type, descend_variables, 1},
    {&descend_shadow_type, descend_variables, 1},
    {&descend_shadow_type, descend_variables, 1},
};
static const cppc_routine descend_routine = ROUTINE("descend", descend_places);

static long chain_sum(const struct link* link) {
  long sum = 0;
  for (const struct link* l = link; l != NULL; l = l->outer) sum = 3 * sum + l->value;
  while (link->outer != NULL) link = link->outer;
  for (const struct link* l = link; l != NULL; l = l->inner) sum = 5 * sum + l->value;
  return sum;
}

static long descend(int depth, struct link* outer) {
  struct link own = {depth * 10, outer, NULL};
  long sum = 0;
  struct descend_shadow live = {0};
  cppc_frame frame;
  switch (cppc_enter(&frame, &descend_routine, &live)) {
    case 1:
      goto resume_1;
    case 2:
      goto resume_2;
    case 3:
      goto resume_3;
  }
  if (outer != NULL) outer->inner = &own;
  deepest = &own;
  *on_heap = &own;
  if (cppc_safe_point(1)) {
    live = (struct descend_shadow){depth, outer, sum, NULL};
  resume_1:
    live.own_at = &own;
    cppc_stop(&frame, 1);
    depth = live.depth, outer = live.outer, sum = live.sum;
  }
  sum += chain_sum(deepest);
  if (depth < DEPTH) {
    live = (struct descend_shadow){depth, outer, sum, &own};
    cppc_at(&frame, 2);
    if (0) {
    resume_2:
      live.own_at = &own;
      cppc_resumed(&frame);
      depth = live.depth, outer = live.outer, sum = live.sum;
    }
    sum += descend(depth + 1, &own);
  }
  (*on_heap)->value += 7;
  if (cppc_safe_point(2)) {
    live = (struct descend_shadow){depth, outer, sum, NULL};
  resume_3:
    live.own_at = &own;
    cppc_stop(&frame, 3);
    depth = live.depth, outer = live.outer, sum = live.sum;
  }
  sum += chain_sum(*on_heap) + own.value;
  own.value += depth;
  if (outer != NULL) outer->inner = NULL;
  deepest = outer;
  *on_heap = outer;
  cppc_leave(&frame);
  return sum;
}

static const cppc_place recursion_places[] = {{NULL, NULL, 0}};
static const cppc_routine recursion_routine = ROUTINE("run_recursion", recursion_places);
static const cppc_global globals[] = {
    {"deepest", &deepest, &cppc_type_pointer, 1},
    {"on_heap", &on_heap, &cppc_type_pointer, 1},
};

void run_recursion(const char* variant) {
  (void)variant;
  declare_globals(globals, sizeof globals / sizeof *globals);
  cppc_frame frame;
  if (cppc_enter(&frame, &recursion_routine, NULL) == 1) goto resume_1;
  on_heap = cppc_malloc(&cppc_type_pointer, sizeof *on_heap);
  cppc_at(&frame, 1);
  if (0) {
  resume_1:
    cppc_resumed(&frame);
  }
  printf("%ld\n", descend(0, NULL));
  cppc_free(on_heap);
  cppc_leave(&frame);
}
