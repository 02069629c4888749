#if defined __GNUC__ && !defined __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#line 1 "windows.c"
/* What a window shows is live: other ranks read it, and write it, in between; what is only filled here is not. */
#include <mpi.h>
enum { N = 4000 };
static double shown[N], hidden[N];

#include <cppc/cppc.h>
extern const cppc_global __start_cppc_globals[] __attribute__((weak)), __stop_cppc_globals[] __attribute__((weak));
extern const cppc_function __start_cppc_functions[] __attribute__((weak)), __stop_cppc_functions[] __attribute__((weak));
extern const cppc_required __start_cppc_requireds[] __attribute__((weak)), __stop_cppc_requireds[] __attribute__((weak));
extern const cppc_type *const __start_cppc_types[] __attribute__((weak)), *const __stop_cppc_types[] __attribute__((weak));
extern const cppc_global __start_cppc_constants[] __attribute__((weak)), __stop_cppc_constants[] __attribute__((weak));
static const cppc_program cppc_program_records = {__start_cppc_globals, __stop_cppc_globals, __start_cppc_functions,
  __stop_cppc_functions, __start_cppc_requireds, __stop_cppc_requireds, __start_cppc_types, __stop_cppc_types,
  __start_cppc_constants, __stop_cppc_constants};
#line 5

struct cppc_live_main {
  void* own_at;
  void* win_at;
  void* other_at;
  int step;
};
static const cppc_routine cppc_routine_main;
#line 5
int main(int argc, char** argv) { struct cppc_live_main cppc_live; cppc_frame cppc_frame_ __attribute__((cleanup(cppc_leave))); cppc_declare(&cppc_program_records); cppc_start(&argc, (char***)&argv); if (cppc_enter(&cppc_frame_, &cppc_routine_main, &cppc_live) != 0) { goto cppc_way_1; }
  MPI_Init(&argc, &argv);
  double* own;
  MPI_Win win, other;
  MPI_Win_create(shown, sizeof shown, sizeof *shown, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_allocate(N * sizeof *own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &other);
  cppc_way_1:; for (int step = 0; cppc_resuming(&cppc_frame_) || (step < 100); step++) { if (cppc_resuming(&cppc_frame_)) goto cppc_place_1; if (cppc_safe_point(1)) { cppc_live.step = step; if ((long)((int)4000) > (long)0) cppc_dead_range(&(hidden[0]), (size_t)((long)((int)4000) - (long)0) * sizeof(hidden[0])); cppc_place_1: cppc_live.own_at = (void*)&own; cppc_live.win_at = (void*)&win; cppc_live.other_at = (void*)&other; cppc_stop(&cppc_frame_, 1); step = cppc_live.step; } 
    for (int i = 0; i < N; i++) shown[i] = step + i;
    for (int i = 0; i < N; i++) hidden[i] = step - i;
    for (int i = 0; i < N; i++) own[i] = shown[i] + hidden[i];
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_free(&win);
  MPI_Win_free(&other);
  MPI_Finalize();
  return 0;
}

static const cppc_field cppc_fields_main_1[] = {
  {"step", offsetof(struct cppc_live_main, step), &cppc_type_int, 1},
};
static const cppc_type cppc_shadow_main_1 = {CPPC_STRUCT, sizeof(struct cppc_live_main), "struct cppc_live_main", cppc_fields_main_1, sizeof cppc_fields_main_1 / sizeof *cppc_fields_main_1};
static const cppc_variable cppc_variables_main_1[] = {
  {"own", &cppc_type_pointer, 1, offsetof(struct cppc_live_main, own_at), 0},
  {"win", &cppc_type_mpi_win, 1, offsetof(struct cppc_live_main, win_at), 0},
  {"other", &cppc_type_mpi_win, 1, offsetof(struct cppc_live_main, other_at), 0},
};
static const cppc_place cppc_places_main[] = {
  {&cppc_shadow_main_1, cppc_variables_main_1, sizeof cppc_variables_main_1 / sizeof *cppc_variables_main_1},
};
static const cppc_routine cppc_routine_main = {"main", cppc_places_main, 1};
static cppc_global cppc_globals_here[] __attribute__((section("cppc_globals"), used, aligned(sizeof(void*)))) = {
  {"windows.c:shown", (void*)shown, &cppc_type_double, 4000},
  {"windows.c:hidden", (void*)hidden, &cppc_type_double, 4000},
};
