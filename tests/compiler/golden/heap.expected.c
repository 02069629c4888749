#if defined __GNUC__ && !defined __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#line 1 "heap.c"
/* Memory: wrappers, macros, linked structures, unknown and known types, arrays that each step overwrites first. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEW(type, n) ((type*)malloc((n) * sizeof(type)))
#define N 1000

struct item {
  struct item* next;
  unsigned kind : 3, used : 1;
  double weights[4];
  char* name;
  union {
    int i;
    float f;
  } value;
};

static double *field, *work;
static struct item* items;


#include <cppc/cppc.h>
static const cppc_type cppc_type_1;
static const cppc_type cppc_type_2;
#undef malloc
#define malloc(bytes) cppc_malloc(&cppc_type_bytes, bytes)
extern const cppc_global __start_cppc_globals[] __attribute__((weak)), __stop_cppc_globals[] __attribute__((weak));
extern const cppc_function __start_cppc_functions[] __attribute__((weak)), __stop_cppc_functions[] __attribute__((weak));
extern const cppc_required __start_cppc_requireds[] __attribute__((weak)), __stop_cppc_requireds[] __attribute__((weak));
extern const cppc_type *const __start_cppc_types[] __attribute__((weak)), *const __stop_cppc_types[] __attribute__((weak));
extern const cppc_global __start_cppc_constants[] __attribute__((weak)), __stop_cppc_constants[] __attribute__((weak));
static const cppc_program cppc_program_records = {__start_cppc_globals, __stop_cppc_globals, __start_cppc_functions,
  __stop_cppc_functions, __start_cppc_requireds, __stop_cppc_requireds, __start_cppc_types, __stop_cppc_types,
  __start_cppc_constants, __stop_cppc_constants};
#line 24
static void* checked(size_t bytes) {
  void* block = cppc_malloc(&cppc_type_bytes, bytes);
  if (block == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  return block;
}

static void push(const char* name) {
  struct item* item = cppc_typed(&cppc_type_1, checked(sizeof *item));
  memset(item, 0, sizeof *item);
  item->name = cppc_strdup(name);
  item->next = items;
  items = item;
}

static void pop(void) {
  struct item* first = items;
  items = first->next;
  cppc_free(first->name);
  cppc_free(first);
}


struct cppc_live_main {
  int step;
};
static const cppc_routine cppc_routine_main;
#line 45
int main(int argc, char** argv) { struct cppc_live_main cppc_live; cppc_frame cppc_frame_ __attribute__((cleanup(cppc_leave))); cppc_declare(&cppc_program_records); cppc_start(&argc, (char***)&argv); if (cppc_enter(&cppc_frame_, &cppc_routine_main, &cppc_live) != 0) { goto cppc_way_1; }
  MPI_Init(&argc, &argv);
  field = cppc_typed(&cppc_type_double, NEW(double, N));
  work = cppc_typed(&cppc_type_double, checked(N * sizeof *work));
  for (int i = 0; i < N; i++) field[i] = i;
  push("first");
  cppc_way_1:; for (int step = 0; cppc_resuming(&cppc_frame_) || (step < 500); step++) { if (cppc_resuming(&cppc_frame_)) goto cppc_place_1; if (cppc_safe_point(1)) { cppc_live.step = step; if ((long)1000 > (long)0) cppc_dead_range_within(&(work[0]), (size_t)((long)1000 - (long)0) * sizeof(work[0]), (const void*)work, 0, 0); cppc_place_1: cppc_stop(&cppc_frame_, 1); step = cppc_live.step; } 
    push("another");
    for (int i = 0; i < N; i++) work[i] = field[i] * 0.5;
    for (int i = 1; i < N; i++) field[i] = work[i - 1];
    if (step % 2 == 1) pop();
    MPI_Allreduce(MPI_IN_PLACE, field, N, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  double sum = 0;
  for (int i = 0; i < N; i++) sum += field[i];
  printf("%.17g %s\n", sum, items->name);
  while (items != NULL) pop();
  cppc_free(work);
  cppc_free(field);
  MPI_Finalize();
  return 0;
}

static const cppc_type cppc_type_2 = {CPPC_BYTES, 1, "bits 0:3 3:1", 0, 0};
static const cppc_field cppc_type_1_fields[] = {
  {"next", offsetof(struct item, next), &cppc_type_pointer, 1},
  {"(bits kind used)", 8, &cppc_type_2, 1},
  {"weights", offsetof(struct item, weights), &cppc_type_double, 4},
  {"name", offsetof(struct item, name), &cppc_type_pointer, 1},
  {"value", offsetof(struct item, value), &cppc_type_bytes, 1 * 4},
};
static const cppc_type cppc_type_1 = {CPPC_STRUCT, sizeof(struct item), "struct item", cppc_type_1_fields, sizeof cppc_type_1_fields / sizeof *cppc_type_1_fields};
static const cppc_field cppc_fields_main_1[] = {
  {"step", offsetof(struct cppc_live_main, step), &cppc_type_int, 1},
};
static const cppc_type cppc_shadow_main_1 = {CPPC_STRUCT, sizeof(struct cppc_live_main), "struct cppc_live_main", cppc_fields_main_1, sizeof cppc_fields_main_1 / sizeof *cppc_fields_main_1};
static const cppc_place cppc_places_main[] = {
  {&cppc_shadow_main_1, NULL, 0},
};
static const cppc_routine cppc_routine_main = {"main", cppc_places_main, 1};
static cppc_global cppc_globals_here[] __attribute__((section("cppc_globals"), used, aligned(sizeof(void*)))) = {
  {"heap.c:field", (void*)&field, &cppc_type_pointer, 1},
  {"heap.c:work", (void*)&work, &cppc_type_pointer, 1},
  {"heap.c:items", (void*)&items, &cppc_type_pointer, 1},
};
static const cppc_type* cppc_types_here[] __attribute__((section("cppc_types"), used, aligned(sizeof(void*)))) = {
  &cppc_type_2,
  &cppc_type_1,
};
