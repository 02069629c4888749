#include "opaque.h"

#include <stdlib.h>

struct cell {
  double x, y;
};

struct cell* make_cells(int count) { return calloc((size_t)count, sizeof(struct cell)); }

void fill_cells(struct cell* cells, int count, double value) {
  for (int i = 0; i < count; i++) cells[i] = (struct cell){value, i};
}

double sum_cells(const struct cell* cells, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += cells[i].x * cells[i].y;
  return sum;
}
