/* Pointers to functions, in globals, on the heap and in a shadow; square() is not declared. */
#include <stdio.h>

#include "programs.h"

enum { STEPS = 8 };

static long twice(long x) { return 2 * x; }
static long square(long x) { return x * x % 1000; }
static long minus_one(long x) { return x - 1; }

typedef long (*operation)(long);

struct rule {
  const struct rule* next;
  operation apply;
};
static const cppc_field rule_fields[] = {
    FIELD(rule, next, cppc_type_pointer, 1),
    FIELD(rule, apply, cppc_type_function, 1),
};
static const cppc_type rule_type = STRUCTURE(rule);

static operation table[4] = {twice, NULL, square, NULL};

struct functions_shadow {
  operation last;
  struct rule* rules;
  long value;
  int step;
};
static const cppc_field functions_shadow_fields[] = {
    FIELD(functions_shadow, last, cppc_type_function, 1),
    FIELD(functions_shadow, rules, cppc_type_pointer, 1),
    FIELD(functions_shadow, value, cppc_type_long, 1),
    FIELD(functions_shadow, step, cppc_type_int, 1),
};
static const cppc_type functions_shadow_type = STRUCTURE(functions_shadow);
static const cppc_place functions_places[] = {{&functions_shadow_type, NULL, 0}};
static const cppc_routine functions_routine = ROUTINE("run_functions", functions_places);

static const cppc_function functions[] = {
    {"twice", (void (*)(void))twice},
    {"minus_one", (void (*)(void))minus_one},
};
static const cppc_global globals[] = {{"table", table, &cppc_type_function, 4}};

void run_functions(const char* variant) {
  (void)variant;
  declare_functions(functions, sizeof functions / sizeof *functions);
  declare_globals(globals, 1);
  operation last = NULL;
  struct rule* rules = NULL;
  long value = 3;
  int step = 0;
  struct functions_shadow live = {0};
  cppc_frame frame;
  if (cppc_enter(&frame, &functions_routine, &live) == 1) goto resume_1;
  table[1] = minus_one;
  rules = cppc_calloc(&rule_type, 2, sizeof *rules);
  rules[0] = (struct rule){&rules[1], square};
  rules[1] = (struct rule){&rules[0], minus_one};
  for (; step < STEPS; ++step) {
    if (cppc_safe_point(1)) {
      live = (struct functions_shadow){last, rules, value, step};
    resume_1:
      cppc_stop(&frame, 1);
      last = live.last, rules = live.rules, value = live.value, step = live.step;
    }
    if (last != NULL) value = last(value);
    last = table[step % 4];
    value = rules[step % 2].next->apply(value) + rules[step % 2].apply(value);
  }
  printf("%ld %d\n", value, last == NULL);
  cppc_free(rules);
  cppc_leave(&frame);
}
