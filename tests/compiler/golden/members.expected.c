#if defined __GNUC__ && !defined __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#line 1 "members.c"
/* Arrays that a structure leads to, made by a function: of two, the one that is computed anew is not saved, although
 * both are reached in the same way and the other one is read. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

struct grid {
  int rows, columns, steps;
  double **now, **next; /* rows in one block, and pointers to them */
};


#include <cppc/cppc.h>
static const cppc_type cppc_type_1;
extern const cppc_global __start_cppc_globals[] __attribute__((weak)), __stop_cppc_globals[] __attribute__((weak));
extern const cppc_function __start_cppc_functions[] __attribute__((weak)), __stop_cppc_functions[] __attribute__((weak));
extern const cppc_required __start_cppc_requireds[] __attribute__((weak)), __stop_cppc_requireds[] __attribute__((weak));
extern const cppc_type *const __start_cppc_types[] __attribute__((weak)), *const __stop_cppc_types[] __attribute__((weak));
extern const cppc_global __start_cppc_constants[] __attribute__((weak)), __stop_cppc_constants[] __attribute__((weak));
static const cppc_program cppc_program_records = {__start_cppc_globals, __stop_cppc_globals, __start_cppc_functions,
  __stop_cppc_functions, __start_cppc_requireds, __stop_cppc_requireds, __start_cppc_types, __stop_cppc_types,
  __start_cppc_constants, __stop_cppc_constants};
#line 12
static double** make(int rows, int columns) {
  double** row = cppc_malloc(&cppc_type_pointer, (size_t)rows * sizeof *row);
  double* block = cppc_calloc(&cppc_type_double, (size_t)rows * (size_t)columns, sizeof *block);
  for (int i = 0; i < rows; ++i) row[i] = block + i * columns;
  return row;
}

static void step(struct grid* grid) {
  for (int i = 0; i < grid->rows; ++i)
    for (int k = 0; k < grid->columns; ++k) grid->next[i][k] = grid->now[i][k] + grid->now[grid->rows - 1 - i][k];
  for (int i = 0; i < grid->rows; ++i)
    for (int k = 0; k < grid->columns; ++k) grid->now[i][k] = grid->next[i][k] / 2;
  ++grid->steps;
}


struct cppc_live_main {
  void* grid_at;
  int i;
};
static const cppc_routine cppc_routine_main;
#line 27
int main(int argc, char** argv) { struct cppc_live_main cppc_live; cppc_frame cppc_frame_ __attribute__((cleanup(cppc_leave))); cppc_declare(&cppc_program_records); cppc_start(&argc, (char***)&argv); if (cppc_enter(&cppc_frame_, &cppc_routine_main, &cppc_live) != 0) { goto cppc_way_1; }
  MPI_Init(&argc, &argv);
  struct grid grid = {.rows = 200, .columns = 100, .now = make(200, 100)};
  grid.next = make(grid.rows, grid.columns);
  for (int i = 0; i < grid.rows; ++i) grid.now[i][i % 100] = 1 + i;
  cppc_way_1:; for (int i = 0; cppc_resuming(&cppc_frame_) || (i < 50); ++i) { if (cppc_resuming(&cppc_frame_)) goto cppc_place_1; if (cppc_safe_point(1)) { cppc_live.i = i; { long cppc_0; for (cppc_0 = 0; cppc_0 < (long)((&grid)->rows); ++cppc_0) if ((long)((&grid)->columns) > (long)0) cppc_dead_range(&((&grid)->next[((int)cppc_0)][0]), (size_t)((long)((&grid)->columns) - (long)0) * sizeof((&grid)->next[((int)cppc_0)][0])); } cppc_place_1: cppc_live.grid_at = (void*)&grid; cppc_stop(&cppc_frame_, 1); i = cppc_live.i; } 
    MPI_Barrier(MPI_COMM_WORLD);
    step(&grid);
  }
  printf("%g %d\n", grid.now[7][7], grid.steps);
  MPI_Finalize();
  return 0;
}

static const cppc_field cppc_type_1_fields[] = {
  {"rows", offsetof(struct grid, rows), &cppc_type_int, 1},
  {"columns", offsetof(struct grid, columns), &cppc_type_int, 1},
  {"steps", offsetof(struct grid, steps), &cppc_type_int, 1},
  {"now", offsetof(struct grid, now), &cppc_type_pointer, 1},
  {"next", offsetof(struct grid, next), &cppc_type_pointer, 1},
};
static const cppc_type cppc_type_1 = {CPPC_STRUCT, sizeof(struct grid), "struct grid", cppc_type_1_fields, sizeof cppc_type_1_fields / sizeof *cppc_type_1_fields};
static const cppc_field cppc_fields_main_1[] = {
  {"i", offsetof(struct cppc_live_main, i), &cppc_type_int, 1},
};
static const cppc_type cppc_shadow_main_1 = {CPPC_STRUCT, sizeof(struct cppc_live_main), "struct cppc_live_main", cppc_fields_main_1, sizeof cppc_fields_main_1 / sizeof *cppc_fields_main_1};
static const cppc_variable cppc_variables_main_1[] = {
  {"grid", &cppc_type_1, 1, offsetof(struct cppc_live_main, grid_at), 0},
};
static const cppc_place cppc_places_main[] = {
  {&cppc_shadow_main_1, cppc_variables_main_1, sizeof cppc_variables_main_1 / sizeof *cppc_variables_main_1},
};
static const cppc_routine cppc_routine_main = {"main", cppc_places_main, 1};
static const cppc_type* cppc_types_here[] __attribute__((section("cppc_types"), used, aligned(sizeof(void*)))) = {
  &cppc_type_1,
};
