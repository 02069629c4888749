/* Two programs that are not the same: an image of variant "" does not fit any other. */
#include <stdio.h>
#include <string.h>

#include "programs.h"

enum { STEPS = 3 };

struct other_shadow {
  int step;
  void *local_at, *second_at;
  size_t length;
};
static const cppc_field other_shadow_fields[] = {FIELD(other_shadow, step, cppc_type_int, 1)};
static const cppc_type other_shadow_type = STRUCTURE(other_shadow);
static const cppc_field renamed_fields[] = {{"pace", 0, &cppc_type_int, 1}};
static const cppc_type renamed_type = {CPPC_STRUCT, sizeof(struct other_shadow), "other_shadow", renamed_fields, 1};

static const cppc_variable variables[] = {
    {"local", &cppc_type_int, 0, offsetof(struct other_shadow, local_at), offsetof(struct other_shadow, length)},
    {"second", &cppc_type_int, 1, offsetof(struct other_shadow, second_at), 0},
};
static const cppc_variable renamed_variable = {"lokal", &cppc_type_int, 1, offsetof(struct other_shadow, local_at), 0};

static double numbers[4];
static int extra;
static int is(const char* variant, const char* name) { return strcmp(variant, name) == 0; }

static void register_globals(const char* variant) {
  const cppc_type* type = is(variant, "type") ? &cppc_type_long : &cppc_type_double;
  const cppc_global globals[] = {
      {is(variant, "name") ? "figures" : "numbers", numbers, type, is(variant, "count") ? 3 : 4},
      {"extra", &extra, &cppc_type_int, 1},
  };
  declare_globals(globals, is(variant, "more") ? 2 : 1);
}

/* For the life of the process, as records have to be. */
static const cppc_routine* inner_routine(const char* variant) {
  static cppc_place places[2];
  static cppc_routine routine;
  places[0].shadow = is(variant, "member") ? &renamed_type : is(variant, "no_shadow") ? NULL : &other_shadow_type;
  places[0].variables = is(variant, "local") ? &renamed_variable : variables;
  places[0].variable_count = is(variant, "locals") ? 2 : 1;
  places[1] = places[0];
  const size_t count = is(variant, "places") ? 0 : 2;
  routine = (cppc_routine){is(variant, "function") ? "innermost" : "inner", places, count};
  return &routine;
}

static void inner(const char* variant, int step) {
  int local = 0, second = 0;
  struct other_shadow live = {0};
  cppc_frame frame;
  if (cppc_enter(&frame, inner_routine(variant), &live) == 1) {
    if (is(variant, "return")) {
      cppc_leave(&frame);
      return;
    }
    goto resume_1;
  }
  if (cppc_safe_point(3)) {
    live.step = step;
  resume_1:
    live.local_at = &local, live.second_at = &second;
    live.length = is(variant, "length") ? 2 : 1;
    if (is(variant, "call")) cppc_resumed(&frame);
    cppc_stop(&frame, is(variant, "place") ? 2 : 1);
    step = live.step;
  }
  numbers[step] += step;
  cppc_leave(&frame);
}

static const cppc_place other_places[] = {{&other_shadow_type, NULL, 0}};
static const cppc_routine other_routine = ROUTINE("run_other", other_places);

void run_other(const char* variant) {
  register_globals(variant);
  int step = 0;
  struct other_shadow live = {0};
  cppc_frame frame;
  if (cppc_enter(&frame, &other_routine, &live) == 1) goto resume_1;
  for (step = 0; step < STEPS; ++step) {
    live.step = step;
    cppc_at(&frame, 1);
    if (0) {
    resume_1:
      if (is(variant, "early")) cppc_safe_point(3);
      if (is(variant, "end")) return;
      if (is(variant, "short")) cppc_stop(&frame, 1);
      if (!is(variant, "unresumed")) cppc_resumed(&frame);
      step = live.step;
    }
    inner(variant, step);
  }
  printf("%g %g %g\n", numbers[0], numbers[1], numbers[2]);
  cppc_leave(&frame);
}
