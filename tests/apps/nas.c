#include "nas.h"

#include <limits.h>
#include <string.h>

static const char* const class_names[NAS_CLASSES] = {[CLASS_S] = "S", [CLASS_W] = "W", [CLASS_A] = "A"};

static const uint64_t factor = UINT64_C(1220703125); /* 5^13 */
static const uint64_t modulo_mask = (UINT64_C(1) << 46) - 1;

const char* nas_class_name(enum nas_class problem_class) { return class_names[problem_class]; }

void nas_parse(int argc, char** argv, struct nas_options* options) {
  const struct setting settings[] = {
      {"repeat", .number = &options->repeat, .least = 1, .most = 1000000000},
      {"hold", .text = &options->hold.file},
      {"hold-at", .list = &options->hold.steps},
  };
  *options = (struct nas_options){.repeat = 1};
  const int operand = parse(argc, argv, settings, sizeof settings / sizeof *settings, &options->usage);
  if (operand != argc - 1) {
    wrong_usage(&options->usage, "exactly one class is wanted: S, W or A");
    return;
  }
  int i = 0;
  while (i < NAS_CLASSES && strcmp(class_names[i], argv[operand]) != 0) ++i;
  if (i == NAS_CLASSES) wrong_usage(&options->usage, "'%s' is no class: S, W or A", argv[operand]);
  options->problem_class = (enum nas_class)i;
}

uint64_t nas_skip(uint64_t x, uint64_t count) {
  uint64_t power = factor;
  while (count > 0) {
    if (count % 2 == 1) x = x * power & modulo_mask;
    power = power * power & modulo_mask;
    count /= 2;
  }
  return x;
}

double nas_random(uint64_t* x) {
  *x = *x * factor & modulo_mask;
  return (double)*x * 0x1p-46;
}

void nas_fill(double* numbers, size_t count, uint64_t* x) {
  uint64_t state = *x;
  for (size_t i = 0; i < count; ++i) {
    state = state * factor & modulo_mask;
    numbers[i] = (double)state * 0x1p-46;
  }
  *x = state;
}
