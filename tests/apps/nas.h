/* What the NAS kernels ep.c, ft.c, is.c and mg.c share: their command line, and the random numbers of the specification
 * (NAS report RNR-94-007), x <- 5^13 x mod 2^46. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "hold.h"
#include "options.h"

enum nas_class { CLASS_S, CLASS_W, CLASS_A, NAS_CLASSES };

struct nas_options {
  struct usage usage;
  enum nas_class problem_class;
  long repeat; /* how often to do all iterations */
  struct hold hold;
};

/* The help text of a kernel; `step` is what --hold-at counts, `what` the benchmark's name. */
#define NAS_HELP(program, what, step)                                                            \
  "Usage: " program                                                                              \
  " CLASS [--repeat N] [--hold FILE --hold-at K]\n"                                              \
  "Runs the NAS " what                                                                           \
  " benchmark of class S, W or A and checks the result.\n"                                       \
  "  --repeat N   do all iterations N times; the results must be the same to the last bit (1)\n" \
  "  --hold FILE  at " step                                                                      \
  " K (--hold-at K, or several, as 3,7; counted from 0, through all repetitions) wait\n"         \
  "               until FILE exists, and remove it\n"                                           \
  "Exit status: 0 right, 1 wrong, 2 wrong usage.\n"                                              \
  "Examples:\n"                                                                                  \
  "  mpirun -n 4 " program                                                                       \
  " A\n"                                                                                         \
  "  mpirun -n 2 " program " S --repeat 100\n"

void nas_parse(int argc, char** argv, struct nas_options* options);

/* "S", "W" or "A". */
const char* nas_class_name(enum nas_class problem_class);

/* The state of the generator `count` numbers after `x`. */
uint64_t nas_skip(uint64_t x, uint64_t count);

/* The next number, between 0 and 1. */
double nas_random(uint64_t* x);

/* The next `count` numbers. */
void nas_fill(double* numbers, size_t count, uint64_t* x);
