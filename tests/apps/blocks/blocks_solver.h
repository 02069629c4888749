/* Implicit time steps of the heat equation, solved by multigrid. */
#pragma once

#include <stdbool.h>

#include "blocks_grid.h"

/* The smoother's name: "jacobi" or "red-black". Returns whether there is one of that name. */
bool choose_smoother(const char* name);

/* Replaces the field u by the solution v of v - diffusion * (sum of the four neighbours of v - 4 v) = u. Returns false
 * if that does not converge. Collective. */
bool step_implicitly(struct field* field, double diffusion);

/* The multigrid cycles since the program began. */
long count_cycles(void);
