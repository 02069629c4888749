/* What blocks.c watches in every step. */
#pragma once

#include <stdbool.h>

#include "blocks_grid.h"

/* From now on adds to `row_heat`, in each watch() and for each row of the block, the mean of that row over all ranks
 * beside this one. The caller keeps the array, of `rows` elements. */
void watch_rows(double* row_heat, int rows);

/* Adds to the rows' heat, and checks that no heat was lost since the last call. Collective. */
bool watch(const struct field* field);

/* The amplitude in the field of cos(2 pi y) cos(2 pi x) on `size` x `size` cells. Collective. */
double amplitude(const struct field* field, int size);
