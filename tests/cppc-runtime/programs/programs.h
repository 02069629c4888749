/* Programs that save and restore their state, one per file; run by state_program. Each passes its safe points and
 * prints what it has computed at the end. `variant` changes what a test wants to see refused; "" is the program as it
 * is. */
#pragma once

#include <stddef.h>

#include "cppc/cppc.h"

#ifdef __cplusplus
extern "C" {
#endif

void run_grid(const char* variant);
void run_lists(const char* variant);
void run_recursion(const char* variant);
void run_functions(const char* variant);
void run_blocks(const char* variant);
void run_constants(const char* variant);
void run_refused(const char* variant);
void run_other(const char* variant);
void run_outside(const char* variant);
void run_places(const char* variant);
void run_required(const char* variant);

#ifdef __cplusplus
}
#endif

static inline void declare_globals(const cppc_global* globals, size_t count) {
  const cppc_program program = {globals, globals + count, NULL, NULL, NULL, NULL};
  cppc_declare(&program);
}

static inline void declare_functions(const cppc_function* functions, size_t count) {
  const cppc_program program = {NULL, NULL, functions, functions + count, NULL, NULL};
  cppc_declare(&program);
}

#define FIELD(structure, member, type, count) \
  { #member, offsetof(struct structure, member), &(type), count }
/* The record of a function with its array of places. */
#define ROUTINE(name, places) \
  { name, places, sizeof places / sizeof *places }
#define STRUCTURE(name) \
  { CPPC_STRUCT, sizeof(struct name), #name, name##_fields, sizeof name##_fields / sizeof *name##_fields }
