#if defined __GNUC__ && !defined __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#line 1 "required.c"
#include <mpi.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include <cppc/cppc.h>
extern const cppc_global __start_cppc_globals[] __attribute__((weak)), __stop_cppc_globals[] __attribute__((weak));
extern const cppc_function __start_cppc_functions[] __attribute__((weak)), __stop_cppc_functions[] __attribute__((weak));
extern const cppc_required __start_cppc_requireds[] __attribute__((weak)), __stop_cppc_requireds[] __attribute__((weak));
extern const cppc_type *const __start_cppc_types[] __attribute__((weak)), *const __stop_cppc_types[] __attribute__((weak));
extern const cppc_global __start_cppc_constants[] __attribute__((weak)), __stop_cppc_constants[] __attribute__((weak));
static const cppc_program cppc_program_records = {__start_cppc_globals, __stop_cppc_globals, __start_cppc_functions,
  __stop_cppc_functions, __start_cppc_requireds, __stop_cppc_requireds, __start_cppc_types, __stop_cppc_types,
  __start_cppc_constants, __stop_cppc_constants};
#line 6
static void handler(int s) { (void)s; }

struct cppc_live_main {
  void* s_at;
  int i;
};
static const cppc_routine cppc_routine_main;
#line 7

struct cppc_arguments_1 { int a0; void (*a1)(int); };
static struct cppc_arguments_1 cppc_arguments_here_1;
static void (*cppc_result_1)(int);
static void cppc_call_1(void* p) { struct cppc_arguments_1* a = p; (void)a; cppc_result_1 = signal(a->a0, a->a1); }
static const cppc_type cppc_arguments_type_1;
static cppc_required cppc_required_1 __attribute__((section("cppc_requireds"), used, aligned(sizeof(void*)))) = {"required.c:9 signal", cppc_call_1, &cppc_arguments_type_1};
#line 7

struct cppc_arguments_2 { int a0; const char *a1; };
static struct cppc_arguments_2 cppc_arguments_here_2;
static char *cppc_result_2;
static void cppc_call_2(void* p) { struct cppc_arguments_2* a = p; (void)a; cppc_result_2 = setlocale(a->a0, a->a1); }
static const cppc_type cppc_arguments_type_2;
static cppc_required cppc_required_2 __attribute__((section("cppc_requireds"), used, aligned(sizeof(void*)))) = {"required.c:11 setlocale", cppc_call_2, &cppc_arguments_type_2};
#line 7

struct cppc_arguments_3 { int a0; void (*a1)(int); };
static struct cppc_arguments_3 cppc_arguments_here_3;
static void (*cppc_result_3)(int);
static void cppc_call_3(void* p) { struct cppc_arguments_3* a = p; (void)a; cppc_result_3 = signal(a->a0, a->a1); }
static const cppc_type cppc_arguments_type_3;
static cppc_required cppc_required_3 __attribute__((section("cppc_requireds"), used, aligned(sizeof(void*)))) = {"required.c:18 signal", cppc_call_3, &cppc_arguments_type_3};
#line 7
int main(int argc, char **argv) { struct cppc_live_main cppc_live; cppc_frame cppc_frame_ __attribute__((cleanup(cppc_leave))); cppc_declare(&cppc_program_records); cppc_start(&argc, (char***)&argv); if (cppc_enter(&cppc_frame_, &cppc_routine_main, &cppc_live) != 0) { goto cppc_way_1; }
  MPI_Init(&argc, &argv);
  if ((cppc_arguments_here_1.a0 = (SIGUSR1), cppc_arguments_here_1.a1 = (handler), cppc_execute(&cppc_required_1, &cppc_arguments_here_1), cppc_result_1) == SIG_ERR) return 1;

  (cppc_arguments_here_2.a0 = (LC_ALL), cppc_arguments_here_2.a1 = ("C"), cppc_execute(&cppc_required_2, &cppc_arguments_here_2));
  FILE *p = cppc_stream(popen("echo hi", "r"), "popen");
  char line[20];
  if (fgets(line, sizeof line, p)) printf("%s", line);
  cppc_pclose(p);
  double s = 0;
  cppc_way_1:; for (int i = 0; cppc_resuming(&cppc_frame_) || (i < 100000); i++) { if (cppc_resuming(&cppc_frame_)) goto cppc_place_1; if (cppc_safe_point(1)) { cppc_live.i = i; cppc_place_1: cppc_live.s_at = (void*)&s; cppc_stop(&cppc_frame_, 1); i = cppc_live.i; }  s += i; MPI_Allreduce(MPI_IN_PLACE, &s, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }
  printf("%g %d\n", s, (cppc_arguments_here_3.a0 = (SIGUSR1), cppc_arguments_here_3.a1 = (SIG_DFL), cppc_execute(&cppc_required_3, &cppc_arguments_here_3), cppc_result_3) == handler);
  MPI_Finalize();
}

static const cppc_field cppc_fields_main_1[] = {
  {"i", offsetof(struct cppc_live_main, i), &cppc_type_int, 1},
};
static const cppc_type cppc_shadow_main_1 = {CPPC_STRUCT, sizeof(struct cppc_live_main), "struct cppc_live_main", cppc_fields_main_1, sizeof cppc_fields_main_1 / sizeof *cppc_fields_main_1};
static const cppc_variable cppc_variables_main_1[] = {
  {"s", &cppc_type_double, 1, offsetof(struct cppc_live_main, s_at), 0},
};
static const cppc_place cppc_places_main[] = {
  {&cppc_shadow_main_1, cppc_variables_main_1, sizeof cppc_variables_main_1 / sizeof *cppc_variables_main_1},
};
static const cppc_routine cppc_routine_main = {"main", cppc_places_main, 1};
static const cppc_field cppc_arguments_type_1_fields[] = {
  {"a0", offsetof(struct cppc_arguments_1, a0), &cppc_type_int, 1},
  {"a1", offsetof(struct cppc_arguments_1, a1), &cppc_type_function, 1},
};
static const cppc_type cppc_arguments_type_1 = {CPPC_STRUCT, sizeof(struct cppc_arguments_1), "arguments of signal()", cppc_arguments_type_1_fields, sizeof cppc_arguments_type_1_fields / sizeof *cppc_arguments_type_1_fields};
static const cppc_field cppc_arguments_type_2_fields[] = {
  {"a0", offsetof(struct cppc_arguments_2, a0), &cppc_type_int, 1},
  {"a1", offsetof(struct cppc_arguments_2, a1), &cppc_type_pointer, 1},
};
static const cppc_type cppc_arguments_type_2 = {CPPC_STRUCT, sizeof(struct cppc_arguments_2), "arguments of setlocale()", cppc_arguments_type_2_fields, sizeof cppc_arguments_type_2_fields / sizeof *cppc_arguments_type_2_fields};
static const cppc_field cppc_arguments_type_3_fields[] = {
  {"a0", offsetof(struct cppc_arguments_3, a0), &cppc_type_int, 1},
  {"a1", offsetof(struct cppc_arguments_3, a1), &cppc_type_function, 1},
};
static const cppc_type cppc_arguments_type_3 = {CPPC_STRUCT, sizeof(struct cppc_arguments_3), "arguments of signal()", cppc_arguments_type_3_fields, sizeof cppc_arguments_type_3_fields / sizeof *cppc_arguments_type_3_fields};
static cppc_function cppc_functions_here[] __attribute__((section("cppc_functions"), used, aligned(sizeof(void*)))) = {
  {"required.c:handler", (void (*)(void))handler},
};
