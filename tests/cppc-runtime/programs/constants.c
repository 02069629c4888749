/* Pointers to constants: they are registered like other objects, and never written to. Variant "changed" is a program
 * with other constants. */
#include <stdio.h>
#include <string.h>

#include "programs.h"

enum { STEPS = 4 };

static const char red[] = "red", green[] = "green";
static const char changed_green[] = "GREEN";
static const char* const colours[] = {red, green, red + 1}; /* constant, but different in every process */
static const double weights[2] = {0.5, 1.5};

static const char* const* favourite;
static const char* name = red;

struct constants_shadow {
  const double* weight;
  double sum;
  int step;
};
static const cppc_field constants_shadow_fields[] = {
    FIELD(constants_shadow, weight, cppc_type_pointer, 1),
    FIELD(constants_shadow, sum, cppc_type_double, 1),
    FIELD(constants_shadow, step, cppc_type_int, 1),
};
static const cppc_type constants_shadow_type = STRUCTURE(constants_shadow);
static const cppc_place constants_places[] = {{&constants_shadow_type, NULL, 0}};
static const cppc_routine constants_routine = ROUTINE("run_constants", constants_places);

void run_constants(const char* variant) {
  const int changed = strcmp(variant, "changed") == 0;
  const cppc_global globals[] = {
      {"red", (void*)red, &cppc_type_char, sizeof red},
      {"green", (void*)(changed ? changed_green : green), &cppc_type_char, sizeof green},
      {"colours", (void*)colours, &cppc_type_pointer, 3},
      {"weights", (void*)weights, &cppc_type_double, 2},
      {"favourite", &favourite, &cppc_type_pointer, 1},
      {"name", &name, &cppc_type_pointer, 1},
  };
  declare_globals(globals, sizeof globals / sizeof *globals);
  const double* weight = weights;
  double sum = 0;
  int step = 0;
  struct constants_shadow live = {0};
  cppc_frame frame;
  if (cppc_enter(&frame, &constants_routine, &live) == 1) goto resume_1;
  favourite = &colours[1];
  for (; step < STEPS; ++step) {
    if (cppc_safe_point(1)) {
      live = (struct constants_shadow){weight, sum, step};
    resume_1:
      cppc_stop(&frame, 1);
      weight = live.weight, sum = live.sum, step = live.step;
    }
    sum += *weight * (double)strlen(*favourite) + name[0];
    weight = &weights[step % 2];
    name = colours[step % 3];
    favourite = &colours[(step + 2) % 3];
  }
  printf("%.17g %s %s\n", sum, name, *favourite);
  cppc_leave(&frame);
}
