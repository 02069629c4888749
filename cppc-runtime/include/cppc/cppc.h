/* cppc/cppc.h: what a movable MPI program calls. The compiler `cppc` writes these calls; they can also be written by
 * hand.
 *
 * A function that can reach a safe point, as the compiler writes it (a whole program:
 * tests/compiler/golden/heap.expected.c):
 *
 *   struct live { int step; double* grid; void* sums_; } live;       // the shadow: scalars, and addresses of variables
 *   cppc_frame frame __attribute__((cleanup(cppc_leave)));
 *   switch (cppc_enter(&frame, &solve_routine, &live)) {             // 0 unless this process takes over another's work
 *     case 1: goto place_1;
 *     case 2: goto place_2;
 *   }
 *   grid = cppc_malloc(&cppc_type_double, n * sizeof *grid);
 *   for (step = 0; step < steps; ++step) {
 *     if (cppc_safe_point(1)) {                                      // an increment and a load, unless somebody asked
 *       live.step = step; live.grid = grid; live.sums_ = sums;
 *       if (0) { place_1: live.sums_ = sums; }
 *       cppc_stop(&frame, 1);                                        // the process that returns may be another one
 *       step = live.step; grid = live.grid;
 *     }
 *     live.step = step; live.grid = grid; live.sums_ = sums;
 *     cppc_at(&frame, 2);                                            // the call can reach a safe point, too
 *     if (0) { place_2: live.sums_ = sums; cppc_resumed(&frame); step = live.step; grid = live.grid; }
 *     inner(grid, sums);
 *   }
 *
 * A process that takes over a rank is a replacement: it enters the same functions at the same places, each finding its
 * variables as they were, and stops at the same safe point.
 *
 * Calls of one process come from one thread, the one that calls MPI. Nothing here prints to stdout, starts a thread or
 * installs a signal handler. Sizes are in bytes. Descriptors and strings given to this interface stay valid and
 * unchanged for the rest of the process.
 *
 * A reference in the state (pointer, function, MPI handle) that cannot be carried over makes the migration fail, by
 * name, and the program goes on. A pointer can be carried over when it is null, leads into an object that is declared
 * here, or right behind one, or into the program's or a library's own data and code, or dangles: then it is not null
 * afterwards, and invalid. Small numbers and negative ones that are no addresses stay what they are. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cppc/safe_points.h"
#include "cppc/status.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- Types: descriptors that the program's own compiler evaluates ----------------------------------------------- */

typedef enum cppc_kind {
  CPPC_BYTES,    /* raw bytes: moved unchanged, same architecture only */
  CPPC_SIGNED,   /* integers, by size */
  CPPC_UNSIGNED, /* integers, bool, char, by size */
  CPPC_FLOAT,    /* floating point, by size */
  CPPC_COMPLEX,  /* two floating-point values of size / 2 each */
  CPPC_POINTER,
  CPPC_FUNCTION, /* pointer to one */
  CPPC_STRUCT,   /* fields; padding is not carried over */
  CPPC_MPI_COMM, /* handles of MPI */
  CPPC_MPI_DATATYPE,
  CPPC_MPI_OP,
  CPPC_MPI_GROUP,
  CPPC_MPI_REQUEST, /* persistent ones that are not active, or none */
  CPPC_MPI_INFO,
  CPPC_MPI_ERRHANDLER,
  CPPC_FILE, /* FILE*: stdin, stdout, stderr, or from cppc_fopen(), or null */
  /* Added later; images have these as numbers, so the order stays. */
  CPPC_MPI_FILE,
  CPPC_MPI_WIN,
  CPPC_MPI_MESSAGE,
} cppc_kind;

typedef struct cppc_type cppc_type;

typedef struct cppc_field {
  const char* name;
  size_t offset;
  const cppc_type* type;
  size_t count; /* elements, 1 unless an array; of a flexible array 0 */
} cppc_field;

struct cppc_type {
  cppc_kind kind;
  size_t size; /* of one element */
  const char* name; /* of bit-fields, which are CPPC_BYTES: "bits 0:12 12:4", where each begins and how wide it is */
  const cppc_field* fields; /* CPPC_STRUCT only */
  size_t field_count;
};

extern const cppc_type cppc_type_bytes; /* one byte of unknown content */
extern const cppc_type cppc_type_char, cppc_type_signed_char, cppc_type_unsigned_char, cppc_type_short,
    cppc_type_unsigned_short, cppc_type_int, cppc_type_unsigned_int, cppc_type_long, cppc_type_unsigned_long,
    cppc_type_long_long, cppc_type_unsigned_long_long, cppc_type_bool, cppc_type_float, cppc_type_double,
    cppc_type_long_double, cppc_type_float_complex, cppc_type_double_complex, cppc_type_pointer, cppc_type_function,
    cppc_type_mpi_comm, cppc_type_mpi_datatype, cppc_type_mpi_op, cppc_type_mpi_group, cppc_type_mpi_request,
    cppc_type_mpi_info, cppc_type_mpi_errhandler, cppc_type_file, cppc_type_mpi_file, cppc_type_mpi_win,
    cppc_type_mpi_message;

/* ---- The program's records ----------------------------------------------------------------------------------------
 */

/* A global or static variable. `name` is unique in the program ("file.c:name" for statics). Constants are compared,
 * never written. */
typedef struct cppc_global {
  const char* name;
  void* address;
  const cppc_type* type;
  size_t count; /* elements */
} cppc_global;

/* A function that pointers in the state may point to. */
typedef struct cppc_function {
  const char* name;
  void (*address)(void);
} cppc_function;

/* A call that a replacement repeats, see cppc_execute(). */
typedef struct cppc_required {
  const char* name;
  void (*call)(void* arguments);
  const cppc_type* type; /* of the arguments, one element; NULL: it takes none */
} cppc_required;

/* All of them, each as an array: those that the linker gathers in the sections cppc_globals, cppc_functions,
 * cppc_requireds, cppc_types and cppc_constants of the executable, say. */
typedef struct cppc_program {
  const cppc_global *globals, *globals_end;
  const cppc_function *functions, *functions_end;
  const cppc_required *requireds, *requireds_end;
  /* For images of another architecture: structures that blocks of the heap may have, and constants that pointers may
   * lead to, which are not saved. */
  const cppc_type *const *types, *const *types_end;
  const cppc_global *constants, *constants_end;
} cppc_program;

/* Before the first cppc_enter(); several calls add up. */
void cppc_declare(const cppc_program* program);

/* First thing in main(), with the addresses of its parameters (NULL and NULL when it has none): the arguments become
 * objects that pointers may lead to. In a replacement it initialises MPI, as the program does not get to its own
 * MPI_Init(). */
void cppc_start(int* argc, char*** argv);

/* ---- Tracked heap -------------------------------------------------------------------------------------------------
 */

/* For malloc and its kin: `type` is the element's (a structure may end in a flexible array, a field of count 0), or
 * cppc_type_bytes. Failure as theirs: NULL and errno, from cppc_posix_memalign() its error. New memory for a type with
 * references is zero. cppc_free() and cppc_realloc() also take a block that the C library allocated; its functions take
 * no tracked block. */
void* cppc_malloc(const cppc_type* type, size_t bytes);
void* cppc_calloc(const cppc_type* type, size_t number, size_t bytes);
void* cppc_realloc(const cppc_type* type, void* block, size_t bytes);
void* cppc_aligned_alloc(const cppc_type* type, size_t alignment, size_t bytes);
int cppc_posix_memalign(const cppc_type* type, void** block, size_t alignment, size_t bytes);
char* cppc_strdup(const char* text);
char* cppc_strndup(const char* text, size_t length);
void cppc_free(void* block);

/* Gives a tracked block that was allocated as cppc_type_bytes its type; `block` is its start, anything else is left
 * alone. Returns `block`. For what an allocation wrapper returns: (node*)cppc_typed(&node_type, xmalloc(n)). */
void* cppc_typed(const cppc_type* type, void* block);

/* ---- Streams ------------------------------------------------------------------------------------------------------
 */

/* In place of the C library's functions: in a replacement a file is opened again, under its absolute path, and goes on
 * where it was; it is never truncated or created. When it is not there, the migration fails by name. */
FILE* cppc_fopen(const char* path, const char* mode);
FILE* cppc_freopen(const char* path, const char* mode, FILE* stream);
int cppc_fclose(FILE* stream);
int cppc_pclose(FILE* stream);

/* For what another function returned (popen, fdopen, tmpfile, fmemopen, open_memstream): a stream that cannot be
 * carried over, as a migration will say, naming `function`. Returns `stream`, which may be NULL. */
FILE* cppc_stream(FILE* stream, const char* function);

/* ---- Frames: functions on the path to a safe point ----------------------------------------------------------------
 */

/* A local variable in memory (array, structure, address taken) that is live at a place. */
typedef struct cppc_variable {
  const char* name;
  const cppc_type* type;
  size_t count;   /* elements; of a variable-length array 0 */
  size_t address; /* offset, in the shadow, of the void* to it */
  size_t length;  /* of a variable-length array: offset, in the shadow, of its number of elements, a size_t */
} cppc_variable;

/* Where a function may be left for another process: a safe point, or a call that can reach one. */
typedef struct cppc_place {
  const cppc_type* shadow; /* a structure as large as the shadow, of its members that are live here: all others are
                              neither saved nor restored nor looked at. NULL: none is */
  const cppc_variable* variables;
  size_t variable_count;
} cppc_place;

typedef struct cppc_routine {
  const char* name;
  const cppc_place* places; /* place k is places[k - 1] */
  size_t place_count;
} cppc_routine;

/* Written to by the runtime alone. */
typedef struct cppc_frame {
  struct cppc_frame* caller;
  const cppc_routine* routine;
  void* shadow;
  int place;  /* the one last announced */
  int resume; /* in a replacement, on the way to its safe point: the place to go on at; else 0 */
} cppc_frame;

/* Opens the function's frame. Returns 0 in an ordinary run, else the place to go on at; the live members of the shadow
 * then are as they were, but pointers to variables that are not in place again yet are null. The first call in a
 * replacement waits for the image, and restores globals and heap. A replacement enters the functions of the image in
 * their order and no others; one that does not, or whose objects differ, is ended with a message, and the rank goes on
 * where it was. */
int cppc_enter(cppc_frame* frame, const cppc_routine* routine, void* shadow);

static __inline int cppc_resuming(const cppc_frame* frame) { return __builtin_expect(frame->resume != 0, 0); }

/* In a replacement, at the resume label of a call: the shadow holds the addresses and lengths of this place's
 * variables. Restores those variables, and the live members of the shadow, now complete; the frame is resumed. */
void cppc_resumed(cppc_frame* frame);

/* The next call may reach a safe point: the shadow's members live at `place` (> 0), addresses and lengths of variables
 * included, are up to date when it is made. */
static __inline void cppc_at(cppc_frame* frame, int place) { frame->place = place; }

/* Closes the frame: whenever the function is left. */
void cppc_leave(cppc_frame* frame);

/* ---- Stops ---------------------------------------------------------------------------------------------------------
 */

/* Stops at the migration point; the shadow's members live at `place`, addresses and lengths of variables included, are
 * up to date. Returns in every rank that goes on, in a rank that has moved in its new process; then the shadow holds
 * the values to use. In a replacement, whose frame resumes at `place`, it restores the place's variables and shadow; of
 * these only addresses and lengths have to be there, and cppc_safe_point() is not called before it. */
void cppc_stop(cppc_frame* frame, int place);

/* Runs call(arguments) now, and again in every replacement of this process, in the order of the calls here: when all
 * its frames are restored and it is in its world, before it goes on. It then gets a copy of `arguments` as they are
 * now, pointers in it carried over. A call of this in a call of this is part of the outer one. */
void cppc_execute(const cppc_required* required, void* arguments);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
