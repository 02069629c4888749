#include "blocks_grid.h"

#include <stdio.h>
#include <stdlib.h>

static struct layout here;

/* ---- The ranks ---- */

bool enter_grid(int size) {
  int ranks;
  const int periodic[2] = {1, 1};
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  here.blocks[0] = here.blocks[1] = 0;
  MPI_Dims_create(ranks, 2, here.blocks);
  for (int i = 0; i < 2; ++i) {
    if (size % (2 * here.blocks[i]) != 0) return false;
  }

  MPI_Cart_create(MPI_COMM_WORLD, 2, here.blocks, periodic, 0, &here.grid);
  MPI_Comm_rank(here.grid, &here.rank);
  MPI_Cart_coords(here.grid, here.rank, 2, here.position);
  MPI_Cart_shift(here.grid, 0, 1, &here.neighbours[UP], &here.neighbours[DOWN]);
  MPI_Cart_shift(here.grid, 1, 1, &here.neighbours[LEFT], &here.neighbours[RIGHT]);
  MPI_Comm_split(here.grid, here.position[0], here.position[1], &here.row);
  MPI_Comm_split(here.grid, here.position[1], here.position[0], &here.column);
  return true;
}

void leave_grid(void) {
  MPI_Comm_free(&here.row);
  MPI_Comm_free(&here.column);
  MPI_Comm_free(&here.grid);
}

const struct layout* layout(void) { return &here; }

/* ---- Fields ---- */

static void* zeros(size_t count, size_t size) {
  void* memory = calloc(count, size);
  if (memory == NULL) {
    fprintf(stderr, "blocks: no memory for a field; take more ranks or fewer cells\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return memory;
}

struct field make_field(int rows, int columns) {
  struct field field = {.inner = {rows, columns}};
  field.row = zeros((size_t)rows + 2, sizeof *field.row);
  for (int i = 0; i < rows + 2; ++i) field.row[i] = zeros((size_t)columns + 2, sizeof *field.row[i]);
  return field;
}

void release_field(struct field* field) {
  for (int i = 0; i < field->inner.rows + 2; ++i) free(field->row[i]);
  free(field->row);
}

void copy_field(struct field* to, const struct field* from) {
  for (int i = 1; i <= from->inner.rows; ++i) {
    for (int j = 1; j <= from->inner.columns; ++j) to->row[i][j] = from->row[i][j];
  }
}

/* ---- The rim ---- */

/* Sends a column to one side and receives one from the other side. */
static void shift_column(struct field* field, int sent, enum direction to, int received, enum direction from) {
  const int rows = field->inner.rows;
  double edge[rows];
  for (int i = 0; i < rows; ++i) edge[i] = field->row[i + 1][sent];
  MPI_Sendrecv_replace(edge, rows, MPI_DOUBLE, here.neighbours[to], to, here.neighbours[from], to, here.grid,
                       MPI_STATUS_IGNORE);
  for (int i = 0; i < rows; ++i) field->row[i + 1][received] = edge[i];
}

static void shift_row(struct field* field, int sent, enum direction to, int received, enum direction from) {
  const int columns = field->inner.columns;
  MPI_Sendrecv(&field->row[sent][1], columns, MPI_DOUBLE, here.neighbours[to], to, &field->row[received][1], columns,
               MPI_DOUBLE, here.neighbours[from], to, here.grid, MPI_STATUS_IGNORE);
}

void exchange_rim(struct field* field) {
  const int last_row = field->inner.rows, last_column = field->inner.columns;
  shift_row(field, 1, UP, last_row + 1, DOWN);
  shift_row(field, last_row, DOWN, 0, UP);
  shift_column(field, 1, LEFT, last_column + 1, RIGHT);
  shift_column(field, last_column, RIGHT, 0, LEFT);
}
