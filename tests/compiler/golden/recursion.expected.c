#if defined __GNUC__ && !defined __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#line 1 "recursion.c"
/* Recursion with two calls in one statement, early returns, a switch, a static variable and a pointer to a function. */
#include <mpi.h>
#include <stdio.h>


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
static double half(double x) { return x / 2; }
static double third(double x) { return x / 3; }
static double (*shrink)(double) = half;


struct cppc_live_leaf {
  void* x_at;
  int i;
};
static const cppc_routine cppc_routine_leaf;
#line 9
static double leaf(double x) { struct cppc_live_leaf cppc_live; cppc_frame cppc_frame_ __attribute__((cleanup(cppc_leave))); if (cppc_enter(&cppc_frame_, &cppc_routine_leaf, &cppc_live) != 0) { goto cppc_way_1; }
  static long visits; static cppc_global cppc_global_117 __attribute__((section("cppc_globals"), used, aligned(sizeof(void*)))) = {"recursion.c:leaf.visits", (void*)&visits, &cppc_type_long, 1};

  cppc_way_1:; for (int i = 0; cppc_resuming(&cppc_frame_) || (i < 3); i++) { if (cppc_resuming(&cppc_frame_)) goto cppc_place_1; if (cppc_safe_point(1)) { cppc_live.i = i; cppc_place_1: cppc_live.x_at = (void*)&x; cppc_stop(&cppc_frame_, 1); i = cppc_live.i; } 
    MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    x = shrink(x);
    visits++;
  }
  return x + (double)visits;
}


struct cppc_live_tree {
  double x;
  int depth;
  double cppc_value_2;
  double cppc_value_3;
};
static const cppc_routine cppc_routine_tree;
#line 20
static double tree(int depth, double x) { struct cppc_live_tree cppc_live; cppc_frame cppc_frame_ __attribute__((cleanup(cppc_leave))); if (cppc_enter(&cppc_frame_, &cppc_routine_tree, &cppc_live) != 0) { switch (cppc_frame_.resume) { case 1: goto cppc_place_1; case 2: goto cppc_place_2; case 3: goto cppc_place_3; case 4: goto cppc_place_4; case 5: goto cppc_place_5; } }
  if (depth == 0) { cppc_live.x = x; cppc_at(&cppc_frame_, 1); if (0) { cppc_place_1: cppc_resumed(&cppc_frame_); x = cppc_live.x; } return leaf(x); }
  switch (depth % 3) {
    case 0:
      cppc_live.depth = depth; cppc_live.x = x; cppc_at(&cppc_frame_, 2); if (0) { cppc_place_2: cppc_resumed(&cppc_frame_); depth = cppc_live.depth; x = cppc_live.x; } cppc_live.cppc_value_2 = tree(depth - 1, x); cppc_live.depth = depth; cppc_live.x = x; cppc_at(&cppc_frame_, 3); if (0) { cppc_place_3: cppc_resumed(&cppc_frame_); depth = cppc_live.depth; x = cppc_live.x; } cppc_live.cppc_value_3 = tree(depth - 1, x * 2); return cppc_live.cppc_value_2 + cppc_live.cppc_value_3;
    case 1: {
      cppc_live.depth = depth; cppc_live.x = x; cppc_at(&cppc_frame_, 4); if (0) { cppc_place_4: cppc_resumed(&cppc_frame_); depth = cppc_live.depth; x = cppc_live.x; } const double y = tree(depth - 1, x + 1);
      return y;
    }
    default:
      break;
  }
  int cppc_again_5 = 0; cppc_live.depth = depth; cppc_live.x = x; cppc_at(&cppc_frame_, 5); if (0) { cppc_place_5: cppc_resumed(&cppc_frame_); cppc_again_5 = 1; depth = cppc_live.depth; x = cppc_live.x; } x += tree(depth - 1, cppc_again_5 ? 0 : (shrink(x)));
  return x;
}


struct cppc_live_main {
  char nothing;
};
static const cppc_routine cppc_routine_main;
#line 36
int main(void) { struct cppc_live_main cppc_live; cppc_frame cppc_frame_ __attribute__((cleanup(cppc_leave))); cppc_declare(&cppc_program_records); cppc_start(NULL, NULL); if (cppc_enter(&cppc_frame_, &cppc_routine_main, &cppc_live) != 0) { goto cppc_place_1; }
  MPI_Init(NULL, NULL);
  shrink = third;
  cppc_at(&cppc_frame_, 1); if (0) { cppc_place_1: cppc_resumed(&cppc_frame_); } const double sum = tree(6, 1);
  printf("%.17g\n", sum);
  MPI_Finalize();
  return 0;
}

static const cppc_field cppc_fields_leaf_1[] = {
  {"i", offsetof(struct cppc_live_leaf, i), &cppc_type_int, 1},
};
static const cppc_type cppc_shadow_leaf_1 = {CPPC_STRUCT, sizeof(struct cppc_live_leaf), "struct cppc_live_leaf", cppc_fields_leaf_1, sizeof cppc_fields_leaf_1 / sizeof *cppc_fields_leaf_1};
static const cppc_variable cppc_variables_leaf_1[] = {
  {"x", &cppc_type_double, 1, offsetof(struct cppc_live_leaf, x_at), 0},
};
static const cppc_place cppc_places_leaf[] = {
  {&cppc_shadow_leaf_1, cppc_variables_leaf_1, sizeof cppc_variables_leaf_1 / sizeof *cppc_variables_leaf_1},
};
static const cppc_routine cppc_routine_leaf = {"leaf", cppc_places_leaf, 1};
static const cppc_field cppc_fields_tree_1[] = {
  {"x", offsetof(struct cppc_live_tree, x), &cppc_type_double, 1},
};
static const cppc_type cppc_shadow_tree_1 = {CPPC_STRUCT, sizeof(struct cppc_live_tree), "struct cppc_live_tree", cppc_fields_tree_1, sizeof cppc_fields_tree_1 / sizeof *cppc_fields_tree_1};
static const cppc_field cppc_fields_tree_2[] = {
  {"depth", offsetof(struct cppc_live_tree, depth), &cppc_type_int, 1},
  {"x", offsetof(struct cppc_live_tree, x), &cppc_type_double, 1},
};
static const cppc_type cppc_shadow_tree_2 = {CPPC_STRUCT, sizeof(struct cppc_live_tree), "struct cppc_live_tree", cppc_fields_tree_2, sizeof cppc_fields_tree_2 / sizeof *cppc_fields_tree_2};
static const cppc_field cppc_fields_tree_3[] = {
  {"depth", offsetof(struct cppc_live_tree, depth), &cppc_type_int, 1},
  {"x", offsetof(struct cppc_live_tree, x), &cppc_type_double, 1},
  {"cppc_value_2", offsetof(struct cppc_live_tree, cppc_value_2), &cppc_type_double, 1},
};
static const cppc_type cppc_shadow_tree_3 = {CPPC_STRUCT, sizeof(struct cppc_live_tree), "struct cppc_live_tree", cppc_fields_tree_3, sizeof cppc_fields_tree_3 / sizeof *cppc_fields_tree_3};
static const cppc_field cppc_fields_tree_4[] = {
  {"depth", offsetof(struct cppc_live_tree, depth), &cppc_type_int, 1},
  {"x", offsetof(struct cppc_live_tree, x), &cppc_type_double, 1},
};
static const cppc_type cppc_shadow_tree_4 = {CPPC_STRUCT, sizeof(struct cppc_live_tree), "struct cppc_live_tree", cppc_fields_tree_4, sizeof cppc_fields_tree_4 / sizeof *cppc_fields_tree_4};
static const cppc_field cppc_fields_tree_5[] = {
  {"depth", offsetof(struct cppc_live_tree, depth), &cppc_type_int, 1},
  {"x", offsetof(struct cppc_live_tree, x), &cppc_type_double, 1},
};
static const cppc_type cppc_shadow_tree_5 = {CPPC_STRUCT, sizeof(struct cppc_live_tree), "struct cppc_live_tree", cppc_fields_tree_5, sizeof cppc_fields_tree_5 / sizeof *cppc_fields_tree_5};
static const cppc_place cppc_places_tree[] = {
  {&cppc_shadow_tree_1, NULL, 0},
  {&cppc_shadow_tree_2, NULL, 0},
  {&cppc_shadow_tree_3, NULL, 0},
  {&cppc_shadow_tree_4, NULL, 0},
  {&cppc_shadow_tree_5, NULL, 0},
};
static const cppc_routine cppc_routine_tree = {"tree", cppc_places_tree, 5};
static const cppc_place cppc_places_main[] = {
  {NULL, NULL, 0},
};
static const cppc_routine cppc_routine_main = {"main", cppc_places_main, 1};
static cppc_global cppc_globals_here[] __attribute__((section("cppc_globals"), used, aligned(sizeof(void*)))) = {
  {"recursion.c:shrink", (void*)&shrink, &cppc_type_function, 1},
};
static cppc_function cppc_functions_here[] __attribute__((section("cppc_functions"), used, aligned(sizeof(void*)))) = {
  {"recursion.c:half", (void (*)(void))half},
  {"recursion.c:third", (void (*)(void))third},
};
