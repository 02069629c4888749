/* Pointers that lead to no object of the state: to literals, constants and data that is not declared, into the C
 * library, to memory that is gone; and values that are no pointers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs.h"

enum { STEPS = 5 };

static const char* const names[] = {"one", "two", "three"};
static int undeclared = 7; /* not in the state: starts again in a replacement */
#define MARK ((void*)-2)

struct outside {
  const char* literal;
  const char* const* name;
  int* undeclared;
  int (*compare)(const char*, const char*);
  FILE* stream;
  void *freed, *gone, *mark, *large;
  unsigned char* byte; /* of a double */
};
static const cppc_field outside_fields[] = {
    FIELD(outside, literal, cppc_type_pointer, 1),    FIELD(outside, name, cppc_type_pointer, 1),
    FIELD(outside, undeclared, cppc_type_pointer, 1), FIELD(outside, compare, cppc_type_function, 1),
    FIELD(outside, stream, cppc_type_pointer, 1),     FIELD(outside, freed, cppc_type_pointer, 1),
    FIELD(outside, gone, cppc_type_pointer, 1),       FIELD(outside, mark, cppc_type_pointer, 1),
    FIELD(outside, large, cppc_type_pointer, 1),      FIELD(outside, byte, cppc_type_pointer, 1),
};
static const cppc_type outside_type = STRUCTURE(outside);

struct outside_shadow {
  int step;
  struct outside* block;
  double* numbers;
};
static const cppc_field outside_shadow_fields[] = {
    FIELD(outside_shadow, step, cppc_type_int, 1),
    FIELD(outside_shadow, block, cppc_type_pointer, 1),
    FIELD(outside_shadow, numbers, cppc_type_pointer, 1),
};
static const cppc_type outside_shadow_type = STRUCTURE(outside_shadow);
static const cppc_place outside_places[] = {{&outside_shadow_type, NULL, 0}};
static const cppc_routine outside_routine = ROUTINE("run_outside", outside_places);

/* Keeps an address that its caller must not use. */
__attribute__((noinline)) static void leave_address(void** kept) {
  int local = 0;
  void* volatile address = &local;
  *kept = address;
}

static struct outside* make_block(double* numbers) {
  struct outside* block = cppc_malloc(&outside_type, sizeof *block);
  *block = (struct outside){"literal", &names[1], &undeclared, strcmp, stdout, .mark = MARK};
  block->freed = cppc_malloc(&cppc_type_int, 40);
  block->large = cppc_malloc(&cppc_type_int, 40000);
  cppc_free(block->freed);
  cppc_free(block->large);
  leave_address(&block->gone);
  block->byte = (unsigned char*)&numbers[1] + 6;
  return block;
}

void run_outside(const char* variant) {
  (void)variant;
  int step = 0, sum = 0;
  struct outside* block = NULL;
  double* numbers = NULL;
  struct outside_shadow live;
  cppc_frame frame;
  if (cppc_enter(&frame, &outside_routine, &live) == 1) goto resume_1;
  numbers = cppc_calloc(&cppc_type_double, 3, sizeof *numbers);
  numbers[1] = 1.5;
  block = make_block(numbers);
  for (; step < STEPS; ++step) {
    if (cppc_safe_point(1)) {
      live = (struct outside_shadow){step, block, numbers};
    resume_1:
      cppc_stop(&frame, 1);
      step = live.step, block = live.block, numbers = live.numbers;
    }
    ++*block->byte;
  }
  sum = block->compare(*block->name, "two") + (block->stream == stdout) + *block->undeclared;
  sum += 10 * (block->freed != NULL && block->gone != NULL && block->large != NULL && block->mark == MARK);
  printf("%d %s %g\n", sum, block->literal, numbers[1]);
  cppc_free(block);
  cppc_free(numbers);
  cppc_leave(&frame);
}
