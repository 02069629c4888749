/* A function whose places have different things alive: members and variables that a place does not list hold rubbish
 * there, arrays have lengths known at run time, and nobody reads what is dead. */
#include <stdio.h>
#include <string.h>

#include "programs.h"

enum { STEPS = 4, TABLE = 3000 };

static double table[TABLE];
static int ready;

struct places_shadow {
  int step;
  double sum;
  long early; /* alive at the first place of a step only */
  char* late; /* alive at the last one only */
  void *values_at, *text_at;
  size_t values_length;
};
#define SHADOW(member, type) FIELD(places_shadow, member, type, 1)
static const cppc_field first_fields[] = {SHADOW(step, cppc_type_int), SHADOW(early, cppc_type_long)};
static const cppc_field second_fields[] = {SHADOW(step, cppc_type_int), SHADOW(sum, cppc_type_double)};
static const cppc_field third_fields[] = {SHADOW(step, cppc_type_int), SHADOW(sum, cppc_type_double),
                                          SHADOW(late, cppc_type_pointer)};
#define SHADOW_TYPE(fields) \
  { CPPC_STRUCT, sizeof(struct places_shadow), "places_shadow", fields, sizeof fields / sizeof *fields }
static const cppc_type first_type = SHADOW_TYPE(first_fields), second_type = SHADOW_TYPE(second_fields),
                       third_type = SHADOW_TYPE(third_fields);
static const cppc_variable both[] = {
    {"values", &cppc_type_double, 0, offsetof(struct places_shadow, values_at),
     offsetof(struct places_shadow, values_length)},
    {"text", &cppc_type_char, 16, offsetof(struct places_shadow, text_at), 0},
};
static const cppc_place work_places[] = {{&first_type, NULL, 0}, {&second_type, both, 1}, {&third_type, both, 2}};
static const cppc_routine work_routine = ROUTINE("work", work_places);

static const cppc_global globals[] = {
    {"table", table, &cppc_type_double, TABLE},
    {"ready", &ready, &cppc_type_int, 1},
};

static void fill_table(int step) {
  for (int i = 0; i < TABLE; ++i) table[i] = i * (step + 1);
}

/* Half of the table in each range, and all of `values` as one object. */
static void bury(const void* values) {
  cppc_dead_range(table + TABLE / 2, sizeof table / 2);
  cppc_dead_range(table, sizeof table / 2);
  if (values != NULL) cppc_dead(values);
}

static double work(int length) {
  double values[length];
  char text[16];
  struct places_shadow live;
  int step;
  double sum = 0;
  long early = 5;
  char* late = NULL;
  cppc_frame frame;
  memset(&live, 0x5a, sizeof live);
  memset(values, 0x5a, sizeof values);
  const int place = cppc_enter(&frame, &work_routine, &live);
  live.values_at = values, live.text_at = text, live.values_length = (size_t)length;
  switch (place) {
    case 1:
      goto resume_1;
    case 2:
      goto resume_2;
    case 3:
      goto resume_3;
  }
  for (step = 0; step < STEPS; ++step) {
    if (cppc_safe_point(1)) {
      live.step = step, live.early = early;
      bury(NULL);
    resume_1:
      cppc_stop(&frame, 1);
      step = live.step, early = live.early;
    }
    fill_table(step);
    sum = (double)(early *= 3);
    for (int i = 0; i < length; ++i) values[i] = i + sum;
    if (cppc_safe_point(2)) {
      live.step = step, live.sum = sum;
    resume_2:
      cppc_stop(&frame, 2);
      step = live.step, sum = live.sum;
    }
    for (int i = 0; i < length; ++i) sum += values[i] * table[i];
    snprintf(text, sizeof text, "%.0f", sum);
    late = text + strlen(text) - 1;
    if (cppc_safe_point(3)) {
      live.step = step, live.sum = sum, live.late = late;
      bury(values);
    resume_3:
      cppc_stop(&frame, 3);
      step = live.step, sum = live.sum, late = live.late;
    }
    early = *late + (long)sum % 1000 + ready;
  }
  cppc_leave(&frame);
  return sum;
}

struct main_shadow {
  int length;
};
static const cppc_field main_shadow_fields[] = {FIELD(main_shadow, length, cppc_type_int, 1)};
static const cppc_type main_shadow_type = STRUCTURE(main_shadow);
static const cppc_place main_places[] = {{&main_shadow_type, NULL, 0}};
static const cppc_routine main_routine = ROUTINE("run_places", main_places);

void run_places(const char* variant) {
  (void)variant;
  struct main_shadow live;
  int length = 0;
  cppc_frame frame;
  declare_globals(globals, sizeof globals / sizeof *globals);
  if (cppc_enter(&frame, &main_routine, &live) == 1) goto resume_1;
  length = 20;
  ready = 1;
  live.length = length;
  cppc_at(&frame, 1);
  if (0) {
  resume_1:
    cppc_resumed(&frame);
    length = live.length;
  }
  printf("%.17g\n", work(length));
  cppc_leave(&frame);
}
