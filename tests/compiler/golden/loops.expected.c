#if defined __GNUC__ && !defined __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#line 1 "loops.c"
/* Loops of every kind around calls that reach a safe point, calls in their conditions, and variable-length arrays. */
#include <mpi.h>
#include <stdio.h>

static int left = 40;


#include <cppc/cppc.h>
extern const cppc_global __start_cppc_globals[] __attribute__((weak)), __stop_cppc_globals[] __attribute__((weak));
extern const cppc_function __start_cppc_functions[] __attribute__((weak)), __stop_cppc_functions[] __attribute__((weak));
extern const cppc_required __start_cppc_requireds[] __attribute__((weak)), __stop_cppc_requireds[] __attribute__((weak));
extern const cppc_type *const __start_cppc_types[] __attribute__((weak)), *const __stop_cppc_types[] __attribute__((weak));
extern const cppc_global __start_cppc_constants[] __attribute__((weak)), __stop_cppc_constants[] __attribute__((weak));
static const cppc_program cppc_program_records = {__start_cppc_globals, __stop_cppc_globals, __start_cppc_functions,
  __stop_cppc_functions, __start_cppc_requireds, __stop_cppc_requireds, __start_cppc_types, __stop_cppc_types,
  __start_cppc_constants, __stop_cppc_constants};
#line 7

struct cppc_live_more {
  void* n;
  int k;
};
static const cppc_routine cppc_routine_more;
#line 7
static int more(int* n) { struct cppc_live_more cppc_live; cppc_frame cppc_frame_ __attribute__((cleanup(cppc_leave))); if (cppc_enter(&cppc_frame_, &cppc_routine_more, &cppc_live) != 0) { goto cppc_way_1; }

  cppc_way_1:; for (int k = 0; cppc_resuming(&cppc_frame_) || (k < 2); k++) { if (cppc_resuming(&cppc_frame_)) goto cppc_place_1; if (cppc_safe_point(4)) { cppc_live.n = (void*)n; cppc_live.k = k; cppc_place_1: cppc_stop(&cppc_frame_, 1); n = cppc_live.n; k = cppc_live.k; } MPI_Barrier(MPI_COMM_WORLD); }
  return (*n)-- > 0;
}


struct cppc_live_main {
  void* n_at;
  double r;
  int m;
  void* row_at;
  size_t row_length;
  size_t row_extent_1_1;
};
static const cppc_routine cppc_routine_main;
#line 13
int main(int argc, char** argv) { struct cppc_live_main cppc_live; cppc_frame cppc_frame_ __attribute__((cleanup(cppc_leave))); cppc_declare(&cppc_program_records); cppc_start(&argc, (char***)&argv); if (cppc_enter(&cppc_frame_, &cppc_routine_main, &cppc_live) != 0) { switch (cppc_frame_.resume) { case 1: goto cppc_way_1; case 2: goto cppc_way_2; case 3: goto cppc_way_2; case 4: goto cppc_way_1; case 5: goto cppc_way_2; case 6: goto cppc_way_2; case 7: goto cppc_way_2; } }
  int n = 20, m;
  double r = 0;
  MPI_Init(&argc, &argv);
  cppc_way_1:; while (1) { if (cppc_resuming(&cppc_frame_)) switch (cppc_frame_.resume) { case 1: goto cppc_place_1; case 4: goto cppc_place_4; } cppc_live.r = r; cppc_live.n_at = (void*)&n; cppc_at(&cppc_frame_, 4); if (0) { cppc_place_4: cppc_live.n_at = (void*)&n; cppc_resumed(&cppc_frame_); r = cppc_live.r; } if (!(more(&n))) break; if (cppc_safe_point(1)) { cppc_live.r = r; cppc_place_1: cppc_live.n_at = (void*)&n; cppc_stop(&cppc_frame_, 1); r = cppc_live.r; } r += n; }
  cppc_way_2:; double row[cppc_resuming(&cppc_frame_) ? cppc_live.row_extent_1_1 : (cppc_live.row_extent_1_1 = (size_t)(n + 5))]; if (cppc_resuming(&cppc_frame_)) switch (cppc_frame_.resume) { case 2: goto cppc_way_3; case 3: goto cppc_way_4; case 5: goto cppc_way_3; case 6: goto cppc_way_3; case 7: goto cppc_way_4; } 
  row[0] = r;
  cppc_way_3:; for ((void)(cppc_resuming(&cppc_frame_) || ((void)(m = 0), 0)); ; m++)
    { if (cppc_resuming(&cppc_frame_)) switch (cppc_frame_.resume) { case 2: goto cppc_place_2; case 5: goto cppc_place_5; case 6: goto cppc_place_6; } cppc_live.m = m; cppc_live.r = r; cppc_live.n_at = (void*)&n; cppc_live.row_at = (void*)row; cppc_live.row_length = sizeof(row) / sizeof(row[0]); cppc_at(&cppc_frame_, 5); if (0) { cppc_place_5: cppc_live.n_at = (void*)&n; cppc_live.row_at = (void*)row; cppc_live.row_length = sizeof(row) / sizeof(row[0]); cppc_resumed(&cppc_frame_); m = cppc_live.m; r = cppc_live.r; } if (!(more(&left) && m < 10)) break; if (cppc_safe_point(2)) { cppc_live.m = m; cppc_live.r = r; cppc_place_2: cppc_live.n_at = (void*)&n; cppc_live.row_at = (void*)row; cppc_live.row_length = sizeof(row) / sizeof(row[0]); cppc_stop(&cppc_frame_, 2); m = cppc_live.m; r = cppc_live.r; } if (m % 2 == 0) { cppc_live.m = m; cppc_live.r = r; cppc_live.n_at = (void*)&n; cppc_live.row_at = (void*)row; cppc_live.row_length = sizeof(row) / sizeof(row[0]); cppc_at(&cppc_frame_, 6); if (0) { cppc_place_6: cppc_live.n_at = (void*)&n; cppc_live.row_at = (void*)row; cppc_live.row_length = sizeof(row) / sizeof(row[0]); cppc_resumed(&cppc_frame_); m = cppc_live.m; r = cppc_live.r; } more(&left); }
    else
      row[1] = m; }
  cppc_way_4:; do { if (cppc_resuming(&cppc_frame_)) switch (cppc_frame_.resume) { case 3: goto cppc_place_3; case 7: goto cppc_place_7; } if (cppc_safe_point(3)) { cppc_live.r = r; cppc_place_3: cppc_live.n_at = (void*)&n; cppc_live.row_at = (void*)row; cppc_live.row_length = sizeof(row) / sizeof(row[0]); cppc_stop(&cppc_frame_, 3); r = cppc_live.r; } 
    r += row[0];
  cppc_live.r = r; cppc_live.n_at = (void*)&n; cppc_live.row_at = (void*)row; cppc_live.row_length = sizeof(row) / sizeof(row[0]); cppc_at(&cppc_frame_, 7); if (0) { cppc_place_7: cppc_live.n_at = (void*)&n; cppc_live.row_at = (void*)row; cppc_live.row_length = sizeof(row) / sizeof(row[0]); cppc_resumed(&cppc_frame_); r = cppc_live.r; } if (!(more(&n))) break; } while (1);
  printf("%g %g %d\n", r, row[1], left);
  MPI_Finalize();
  return 0;
}

static const cppc_field cppc_fields_main_1[] = {
  {"r", offsetof(struct cppc_live_main, r), &cppc_type_double, 1},
};
static const cppc_type cppc_shadow_main_1 = {CPPC_STRUCT, sizeof(struct cppc_live_main), "struct cppc_live_main", cppc_fields_main_1, sizeof cppc_fields_main_1 / sizeof *cppc_fields_main_1};
static const cppc_variable cppc_variables_main_1[] = {
  {"n", &cppc_type_int, 1, offsetof(struct cppc_live_main, n_at), 0},
};
static const cppc_field cppc_fields_main_2[] = {
  {"m", offsetof(struct cppc_live_main, m), &cppc_type_int, 1},
  {"r", offsetof(struct cppc_live_main, r), &cppc_type_double, 1},
  {"row_extent_1_1", offsetof(struct cppc_live_main, row_extent_1_1), &cppc_type_unsigned_long, 1},
};
static const cppc_type cppc_shadow_main_2 = {CPPC_STRUCT, sizeof(struct cppc_live_main), "struct cppc_live_main", cppc_fields_main_2, sizeof cppc_fields_main_2 / sizeof *cppc_fields_main_2};
static const cppc_variable cppc_variables_main_2[] = {
  {"n", &cppc_type_int, 1, offsetof(struct cppc_live_main, n_at), 0},
  {"row", &cppc_type_double, 0, offsetof(struct cppc_live_main, row_at), offsetof(struct cppc_live_main, row_length)},
};
static const cppc_field cppc_fields_main_3[] = {
  {"r", offsetof(struct cppc_live_main, r), &cppc_type_double, 1},
  {"row_extent_1_1", offsetof(struct cppc_live_main, row_extent_1_1), &cppc_type_unsigned_long, 1},
};
static const cppc_type cppc_shadow_main_3 = {CPPC_STRUCT, sizeof(struct cppc_live_main), "struct cppc_live_main", cppc_fields_main_3, sizeof cppc_fields_main_3 / sizeof *cppc_fields_main_3};
static const cppc_variable cppc_variables_main_3[] = {
  {"n", &cppc_type_int, 1, offsetof(struct cppc_live_main, n_at), 0},
  {"row", &cppc_type_double, 0, offsetof(struct cppc_live_main, row_at), offsetof(struct cppc_live_main, row_length)},
};
static const cppc_field cppc_fields_main_4[] = {
  {"r", offsetof(struct cppc_live_main, r), &cppc_type_double, 1},
};
static const cppc_type cppc_shadow_main_4 = {CPPC_STRUCT, sizeof(struct cppc_live_main), "struct cppc_live_main", cppc_fields_main_4, sizeof cppc_fields_main_4 / sizeof *cppc_fields_main_4};
static const cppc_variable cppc_variables_main_4[] = {
  {"n", &cppc_type_int, 1, offsetof(struct cppc_live_main, n_at), 0},
};
static const cppc_field cppc_fields_main_5[] = {
  {"m", offsetof(struct cppc_live_main, m), &cppc_type_int, 1},
  {"r", offsetof(struct cppc_live_main, r), &cppc_type_double, 1},
  {"row_extent_1_1", offsetof(struct cppc_live_main, row_extent_1_1), &cppc_type_unsigned_long, 1},
};
static const cppc_type cppc_shadow_main_5 = {CPPC_STRUCT, sizeof(struct cppc_live_main), "struct cppc_live_main", cppc_fields_main_5, sizeof cppc_fields_main_5 / sizeof *cppc_fields_main_5};
static const cppc_variable cppc_variables_main_5[] = {
  {"n", &cppc_type_int, 1, offsetof(struct cppc_live_main, n_at), 0},
  {"row", &cppc_type_double, 0, offsetof(struct cppc_live_main, row_at), offsetof(struct cppc_live_main, row_length)},
};
static const cppc_field cppc_fields_main_6[] = {
  {"m", offsetof(struct cppc_live_main, m), &cppc_type_int, 1},
  {"r", offsetof(struct cppc_live_main, r), &cppc_type_double, 1},
  {"row_extent_1_1", offsetof(struct cppc_live_main, row_extent_1_1), &cppc_type_unsigned_long, 1},
};
static const cppc_type cppc_shadow_main_6 = {CPPC_STRUCT, sizeof(struct cppc_live_main), "struct cppc_live_main", cppc_fields_main_6, sizeof cppc_fields_main_6 / sizeof *cppc_fields_main_6};
static const cppc_variable cppc_variables_main_6[] = {
  {"n", &cppc_type_int, 1, offsetof(struct cppc_live_main, n_at), 0},
  {"row", &cppc_type_double, 0, offsetof(struct cppc_live_main, row_at), offsetof(struct cppc_live_main, row_length)},
};
static const cppc_field cppc_fields_main_7[] = {
  {"r", offsetof(struct cppc_live_main, r), &cppc_type_double, 1},
  {"row_extent_1_1", offsetof(struct cppc_live_main, row_extent_1_1), &cppc_type_unsigned_long, 1},
};
static const cppc_type cppc_shadow_main_7 = {CPPC_STRUCT, sizeof(struct cppc_live_main), "struct cppc_live_main", cppc_fields_main_7, sizeof cppc_fields_main_7 / sizeof *cppc_fields_main_7};
static const cppc_variable cppc_variables_main_7[] = {
  {"n", &cppc_type_int, 1, offsetof(struct cppc_live_main, n_at), 0},
  {"row", &cppc_type_double, 0, offsetof(struct cppc_live_main, row_at), offsetof(struct cppc_live_main, row_length)},
};
static const cppc_place cppc_places_main[] = {
  {&cppc_shadow_main_1, cppc_variables_main_1, sizeof cppc_variables_main_1 / sizeof *cppc_variables_main_1},
  {&cppc_shadow_main_2, cppc_variables_main_2, sizeof cppc_variables_main_2 / sizeof *cppc_variables_main_2},
  {&cppc_shadow_main_3, cppc_variables_main_3, sizeof cppc_variables_main_3 / sizeof *cppc_variables_main_3},
  {&cppc_shadow_main_4, cppc_variables_main_4, sizeof cppc_variables_main_4 / sizeof *cppc_variables_main_4},
  {&cppc_shadow_main_5, cppc_variables_main_5, sizeof cppc_variables_main_5 / sizeof *cppc_variables_main_5},
  {&cppc_shadow_main_6, cppc_variables_main_6, sizeof cppc_variables_main_6 / sizeof *cppc_variables_main_6},
  {&cppc_shadow_main_7, cppc_variables_main_7, sizeof cppc_variables_main_7 / sizeof *cppc_variables_main_7},
};
static const cppc_routine cppc_routine_main = {"main", cppc_places_main, 7};
static const cppc_field cppc_fields_more_1[] = {
  {"n", offsetof(struct cppc_live_more, n), &cppc_type_pointer, 1},
  {"k", offsetof(struct cppc_live_more, k), &cppc_type_int, 1},
};
static const cppc_type cppc_shadow_more_1 = {CPPC_STRUCT, sizeof(struct cppc_live_more), "struct cppc_live_more", cppc_fields_more_1, sizeof cppc_fields_more_1 / sizeof *cppc_fields_more_1};
static const cppc_place cppc_places_more[] = {
  {&cppc_shadow_more_1, NULL, 0},
};
static const cppc_routine cppc_routine_more = {"more", cppc_places_more, 1};
static cppc_global cppc_globals_here[] __attribute__((section("cppc_globals"), used, aligned(sizeof(void*)))) = {
  {"loops.c:left", (void*)&left, &cppc_type_int, 1},
};
