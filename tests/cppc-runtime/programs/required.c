/* A library's own state, which does not move: the calls that made it are repeated. Variants: "missing" does not declare
 * one of them, "other" with other arguments. */
#include <stdio.h>
#include <string.h>

#include "programs.h"

enum { STEPS = 6 };

/* The library: it is not in the state. */
static long registers[4];
static int begun;

static void begin(void* arguments) {
  (void)arguments;
  begun = 1;
}

struct addition {
  int reg;
  long amount;
  const int* factor;
};
static const cppc_field addition_fields[] = {
    FIELD(addition, reg, cppc_type_int, 1),
    FIELD(addition, amount, cppc_type_long, 1),
    FIELD(addition, factor, cppc_type_pointer, 1),
};
static const cppc_type addition_type = STRUCTURE(addition);

static void add(void* arguments);

static const cppc_required requireds[] = {{"begin", begin, NULL}, {"add", add, &addition_type}};
static const cppc_required other_requireds[] = {{"begin", begin, NULL}, {"add", add, &cppc_type_int}};

/* Depends on the order of calls. Changes its arguments; the call in it is part of it. */
static void add(void* arguments) {
  struct addition* addition = arguments;
  registers[addition->reg] = 3 * registers[addition->reg] + addition->amount * *addition->factor;
  addition->amount = -1;
  cppc_execute(&requireds[0], NULL);
}

struct required_shadow {
  int step;
  int* factor;
};
static const cppc_field required_shadow_fields[] = {
    FIELD(required_shadow, step, cppc_type_int, 1),
    FIELD(required_shadow, factor, cppc_type_pointer, 1),
};
static const cppc_type required_shadow_type = STRUCTURE(required_shadow);
static const cppc_place required_places[] = {{&required_shadow_type, NULL, 0}};
static const cppc_routine required_routine = ROUTINE("run_required", required_places);

static void declare_calls(const char* variant) {
  const cppc_required* calls = strcmp(variant, "other") == 0 ? other_requireds : requireds;
  const cppc_program program = {.requireds = calls, .requireds_end = calls + (strcmp(variant, "missing") == 0 ? 1 : 2)};
  cppc_declare(&program);
}

void run_required(const char* variant) {
  int step = 0;
  int* factor = NULL;
  struct required_shadow live;
  cppc_frame frame;
  declare_calls(variant);
  if (cppc_enter(&frame, &required_routine, &live) == 1) goto resume_1;
  cppc_execute(&requireds[0], NULL);
  factor = cppc_malloc(&cppc_type_int, sizeof *factor);
  *factor = 5;
  for (; step < STEPS; ++step) {
    struct addition addition = {step % 4, step + 1, factor};
    cppc_execute(&requireds[1], &addition);
    if (cppc_safe_point(1)) {
      live = (struct required_shadow){step, factor};
    resume_1:
      cppc_stop(&frame, 1);
      step = live.step, factor = live.factor;
    }
  }
  printf("%d %ld %ld %ld %ld\n", begun, registers[0], registers[1], registers[2], registers[3]);
  cppc_free(factor);
  cppc_leave(&frame);
}
