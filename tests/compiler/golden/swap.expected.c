#if defined __GNUC__ && !defined __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#line 1 "swap.c"
/* Arrays that swap places: the one that is computed anew is not saved, although its kind of memory is read. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

struct grid {
  int rows, columns;
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
#line 10
static size_t at(const struct grid* grid, int row, int column) {
  return (size_t)row * (size_t)(grid->columns + 2) + (size_t)column;
}

static double* make(const struct grid* grid) { return cppc_calloc(&cppc_type_double, at(grid, grid->rows + 2, 0), sizeof(double)); }

/* The rim of `next` stays as it is. */
static void relax(const struct grid* grid, const double* now, double* next) {
  for (int row = 1; row <= grid->rows; ++row) {
    const double* above = &now[at(grid, row - 1, 0)];
    double* out = &next[at(grid, row, 0)];
    for (int column = 1; column <= grid->columns; ++column) out[column] = above[column] + now[at(grid, row, column - 1)];
  }
}


struct cppc_live_work {
  void* grid;
  void* now;
  int steps;
  void* next;
  int step;
};
static const cppc_routine cppc_routine_work;
#line 25
static double* work(const struct grid* grid, double* now, int steps) { struct cppc_live_work cppc_live; cppc_frame cppc_frame_ __attribute__((cleanup(cppc_leave))); if (cppc_enter(&cppc_frame_, &cppc_routine_work, &cppc_live) != 0) { goto cppc_way_1; }
  double* next = make(grid);
  cppc_way_1:; for (int step = 0; cppc_resuming(&cppc_frame_) || (step < steps); ++step) { if (cppc_resuming(&cppc_frame_)) goto cppc_place_1; if (cppc_safe_point(1)) { cppc_live.grid = (void*)grid; cppc_live.now = (void*)now; cppc_live.steps = steps; cppc_live.next = (void*)next; cppc_live.step = step; { long cppc_0; const void* const cppc_apart[] = {(const void*)now}; if (grid != 0) for (cppc_0 = 1; cppc_0 <= (long)(grid->rows); ++cppc_0) if ((long)(grid->columns) >= (long)1) cppc_dead_range_within(&((&next[((unsigned long)(((unsigned long)((int)((int)cppc_0))) * ((unsigned long)(grid->columns + 2)) + ((unsigned long)((int)0))))])[1]), (size_t)((long)(grid->columns) - (long)1 + 1) * sizeof((&next[((unsigned long)(((unsigned long)((int)((int)cppc_0))) * ((unsigned long)(grid->columns + 2)) + ((unsigned long)((int)0))))])[1]), (const void*)next, cppc_apart, 1); } cppc_place_1: cppc_stop(&cppc_frame_, 1); grid = cppc_live.grid; now = cppc_live.now; steps = cppc_live.steps; next = cppc_live.next; step = cppc_live.step; } 
    MPI_Bcast(now, grid->columns, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (now[1] > 1e6) break;
    relax(grid, now, next);
    double* before = now;
    now = next;
    next = before;
  }
  cppc_free(next);
  return now;
}


struct cppc_live_main {
  void* grid_at;
  void* start;
};
static const cppc_routine cppc_routine_main;
#line 39
int main(int argc, char** argv) { struct cppc_live_main cppc_live; cppc_frame cppc_frame_ __attribute__((cleanup(cppc_leave))); cppc_declare(&cppc_program_records); cppc_start(&argc, (char***)&argv); if (cppc_enter(&cppc_frame_, &cppc_routine_main, &cppc_live) != 0) { goto cppc_place_1; }
  struct grid grid = {300, 300};
  MPI_Init(&argc, &argv);
  double* start = make(&grid);
  for (int row = 0; row <= grid.rows + 1; ++row) start[at(&grid, row, 0)] = 1 + row;
  cppc_live.start = (void*)start; cppc_live.grid_at = (void*)&grid; cppc_at(&cppc_frame_, 1); if (0) { cppc_place_1: cppc_live.grid_at = (void*)&grid; cppc_resumed(&cppc_frame_); start = cppc_live.start; } double* final = work(&grid, start, 50);
  double sum = 0;
  for (size_t i = 0; i < at(&grid, grid.rows + 2, 0); ++i) sum += final[i];
  printf("%.17g\n", sum);
  cppc_free(final);
  MPI_Finalize();
  return 0;
}

static const cppc_field cppc_type_1_fields[] = {
  {"rows", offsetof(struct grid, rows), &cppc_type_int, 1},
  {"columns", offsetof(struct grid, columns), &cppc_type_int, 1},
};
static const cppc_type cppc_type_1 = {CPPC_STRUCT, sizeof(struct grid), "struct grid", cppc_type_1_fields, sizeof cppc_type_1_fields / sizeof *cppc_type_1_fields};
static const cppc_field cppc_fields_work_1[] = {
  {"grid", offsetof(struct cppc_live_work, grid), &cppc_type_pointer, 1},
  {"now", offsetof(struct cppc_live_work, now), &cppc_type_pointer, 1},
  {"steps", offsetof(struct cppc_live_work, steps), &cppc_type_int, 1},
  {"next", offsetof(struct cppc_live_work, next), &cppc_type_pointer, 1},
  {"step", offsetof(struct cppc_live_work, step), &cppc_type_int, 1},
};
static const cppc_type cppc_shadow_work_1 = {CPPC_STRUCT, sizeof(struct cppc_live_work), "struct cppc_live_work", cppc_fields_work_1, sizeof cppc_fields_work_1 / sizeof *cppc_fields_work_1};
static const cppc_place cppc_places_work[] = {
  {&cppc_shadow_work_1, NULL, 0},
};
static const cppc_routine cppc_routine_work = {"work", cppc_places_work, 1};
static const cppc_field cppc_fields_main_1[] = {
  {"start", offsetof(struct cppc_live_main, start), &cppc_type_pointer, 1},
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
