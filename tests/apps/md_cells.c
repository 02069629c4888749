#include "md_cells.h"

#include <stdlib.h>

struct cells make_cells(const struct slab* slab, double cutoff) {
  const double width = slab->end - slab->begin;
  const int columns = (int)(width / cutoff);
  struct cells cells = {
      .columns = columns + 2, .rows = (int)(slab->box.y / cutoff), .layers = (int)(slab->box.z / cutoff)};
  cells.inverse.x = columns / width;
  cells.inverse.y = cells.rows / slab->box.y;
  cells.inverse.z = cells.layers / slab->box.z;
  cells.begin = slab->begin - width / columns;
  cells.head = (int*)xmalloc((size_t)cells.columns * (size_t)cells.rows * (size_t)cells.layers, sizeof *cells.head);
  return cells;
}

void release_cells(struct cells* cells) { free(cells->head); }

/* The coordinate of a cell, kept in range against rounding at the ends. */
static int coordinate(double distance, double inverse, int count) {
  const int i = (int)(distance * inverse);
  if (i < 0) return 0;
  return i < count ? i : count - 1;
}

static int cell_at(const struct cells* cells, int column, int row, int layer) {
  return (column * cells->rows + row) * cells->layers + layer;
}

static int cell_of(const struct cells* cells, struct vector position) {
  const int column = coordinate(position.x - cells->begin, cells->inverse.x, cells->columns);
  const int row = coordinate(position.y, cells->inverse.y, cells->rows);
  const int layer = coordinate(position.z, cells->inverse.z, cells->layers);
  return cell_at(cells, column, row, layer);
}

static void insert(struct cells* cells, int particle, struct vector position) {
  const int cell = cell_of(cells, position);
  cells->next[particle] = cells->head[cell];
  cells->head[cell] = particle;
}

void sort_particles(struct cells* cells, const struct atoms* atoms, const struct ghosts* ghosts) {
  const int count = cells->columns * cells->rows * cells->layers;
  for (int cell = 0; cell < count; ++cell) cells->head[cell] = -1;
  cells->next = (int*)xmalloc((size_t)atoms->count + (size_t)ghosts->count, sizeof *cells->next);
  for (int i = 0; i < atoms->count; ++i) insert(cells, i, atoms->atom[i].position);
  for (int i = 0; i < ghosts->count; ++i) insert(cells, atoms->count + i, ghosts->position[i]);
}

void forget_particles(struct cells* cells) {
  free(cells->next);
  cells->next = NULL;
}

void find_heads(const struct cells* cells, struct vector position, int heads[27]) {
  int column = coordinate(position.x - cells->begin, cells->inverse.x, cells->columns);
  if (column < 1) column = 1;
  if (column > cells->columns - 2) column = cells->columns - 2;
  const int row = coordinate(position.y, cells->inverse.y, cells->rows);
  const int layer = coordinate(position.z, cells->inverse.z, cells->layers);
  int found = 0;
  for (int c = column - 1; c <= column + 1; ++c) {
    for (int r = row - 1; r <= row + 1; ++r) {
      for (int l = layer - 1; l <= layer + 1; ++l) {
        const int near_row = (r + cells->rows) % cells->rows, near_layer = (l + cells->layers) % cells->layers;
        heads[found++] = cells->head[cell_at(cells, c, near_row, near_layer)];
      }
    }
  }
}
