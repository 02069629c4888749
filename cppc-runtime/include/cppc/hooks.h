/* cppc/hooks.h: between the runtime and an extension that moves its state. The runtime knows nothing of migration: it
 * offers hooks at its safe points and access to its state, and loads the extension named by the environment variable
 * CPPC_EXTENSION (a shared object, opened by cppc_start or MPI_Init with RTLD_LOCAL). Without it, programs run as plain
 * MPI programs.
 *
 * All calls, in both directions, come from the thread that calls MPI, one at a time if there are several. Nothing is
 * thrown across. */
#pragma once

#include <mpi.h>

#include "cppc/cppc.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CPPC_HOOKS_VERSION 18

typedef enum cppc_section {
  CPPC_SECTION_RUNTIME, /* one block of bytes: types, heap table, communicator log, counters */
  CPPC_SECTION_GLOBAL,
  CPPC_SECTION_FRAME, /* shadows and locals, name "<depth>/<function>/<variable>", of a shadow "(shadow)" */
  CPPC_SECTION_HEAP,  /* name is the block's number */
  /* Of a state that is kept by address, whose names are places; its globals and its heap have such names, too. */
  CPPC_SECTION_STACK,
  CPPC_SECTION_THREAD,  /* in the runtime's own block: never visited */
  CPPC_SECTION_MAPPING, /* what the program has from mmap */
} cppc_section;

/* Bytes of an object, from its start: whole elements. */
typedef struct cppc_part {
  uint64_t offset;
  uint64_t bytes;
} cppc_part;

/* One object of the state. */
typedef struct cppc_block {
  cppc_section section;
  const char* name;       /* unique in its section */
  const cppc_type* type;  /* as the program declared it */
  uint64_t count;         /* elements */
  uint64_t bytes;         /* count * type->size */
  const void* data;       /* NULL when its contents are dead; pointers and handles inside are in stored form (below) */
  const cppc_part* holes; /* parts of data that are dead, or zero for want of a touch, in rising order and apart */
  uint64_t hole_count;
  int stored_form;  /* 1: data is the runtime's encoded copy, 0: the program's own memory */
  uint64_t address; /* where it lies in every process, when the state is kept by address; else 0 */
  int shared;       /* 1: data may lie in memory that other processes, or a file, change: a child process of this one
                       does not have it as it was */
} cppc_block;
/* Stored form: fields of kind POINTER and FUNCTION and MPI handles are 8-byte numbers that mean the same in every
 * process of the program: the runtime encodes and decodes them. Offsets and sizes stay those of the type, but where
 * pointers have 4 bytes: there `type` is that of the stored form. */

typedef struct cppc_traffic {
  int64_t sent;     /* point-to-point messages to other ranks or oneself, this process, since the last rebuild */
  int64_t received; /* receives that were started, likewise */
  int64_t active;   /* requests started and not completed, or not by drain; accesses and epochs of windows likewise */
} cppc_traffic;

/* What a program is inside of when it cannot be stopped at a call, or cannot leave one. */
typedef enum cppc_inside {
  CPPC_INSIDE_CALL = 1, /* of MPI that waits for others */
  CPPC_INSIDE_CALLBACK, /* a function that MPI has called, or exit() */
  CPPC_INSIDE_EPOCH,    /* accesses or an epoch of a window */
  CPPC_INSIDE_FILE,     /* a split collective access to a file */
  CPPC_INSIDE_THREAD,   /* a thread other than the main one */
  CPPC_INSIDE_REGION,   /* a parallel region of OpenMP */
  CPPC_BESIDE_THREADS,  /* or not inside of: threads that it has started call MPI, too, and have not ended */
} cppc_inside;

/* What is counted of a communicator, a window or a file. The runtime writes, the extension `announced`. */
typedef struct cppc_collective_count {
  uint64_t id;
  uint64_t begun;        /* collective operations */
  uint64_t announced;    /* changes when one of them is withdrawn */
  uint64_t acknowledged; /* what `announced` was when the rank has last come to know of that */
} cppc_collective_count;

/* The blocking collective operation that the program is inside of, if all members have to begin it before any leaves,
 * and if it can be begun again with the same result. */
typedef struct cppc_current_operation {
  uint64_t number; /* what `begun` of the communicator becomes with it; 0: there is none. Written last, and before `begun` */
  uint64_t id;     /* of the communicator */
  uint64_t what;   /* for cppc_runtime.take_part; not 0, and the same in all members */
  uint64_t count;  /* likewise; may be 0 */
} cppc_current_operation;

/* What an extension provides that can stop a rank at any call of MPI (cppc_runtime.watch_calls); every function set.
 * Ranks are those of the application's world. */
typedef struct cppc_calls {
  /* The program has, as one of `size` > 1 members, a communicator, window or file `id` from now on (the same number in
   * all its members, and no other's), in which it has begun `begun` collective operations. Returns where the runtime
   * counts further ones, or NULL when the extension has no room to count. */
  cppc_collective_count* (*open)(uint64_t id, uint32_t size, uint64_t begun);

  /* It has begun the last one. `count` is what `open` returned. */
  void (*close)(cppc_collective_count* count);

  /* Where the program says what it is inside of, from the first `open` on. */
  cppc_current_operation* (*current)(void);

  /* The program has come out of an operation that it had reported, and `announced` is not `acknowledged`: 1 when it has
   * not taken place, because all members that had begun it were to withdraw. Then it is not counted any more: the
   * program has to begin it again, as any other, with what its arguments were before. */
  int (*withdrawn)(cppc_collective_count* count);

  /* While the watched word is not zero: the program is about to begin a collective operation, or (collective == 0) is
   * at another call; `waits_for`: the rank whose message it waits for, or has just looked for in vain, CPPC_NOBODY or
   * CPPC_ANYBODY. May wait; meanwhile it lets MPI work (cppc_runtime.progress), and may have the rank take part in
   * operations that others withdraw from (cppc_runtime.take_part). Returns 1 to stop here. */
  int (*reached)(int collective, int waits_for);

  /* At any time: the program enters a call, no collective operation, that it cannot leave until others have done
   * something, or is at a call at which it cannot be stopped because of `what`; and has left it, or has what it told
   * `reached` it waits for. */
  void (*enter)(int waits_for, cppc_inside what);
  void (*moved_on)(void);
} cppc_calls;

/* Sent by somebody else to the main thread, with SI_QUEUE, after watch_calls() has returned CPPC_AT_CALLS or
 * CPPC_AT_CALLS_AND_MARKS: a program that computes calls `reached` soon as at a call, if it can be stopped where it is;
 * else nothing happens. One of the two numbers that the C library lets no program handle, block or wait for: so
 * programs see nothing of it. A call of the system that waits would begin anew each time: to be sent to a thread that
 * runs. */
#define CPPC_LOOK_SIGNAL 33

/* Where a program can be stopped, as watch_calls() says. */
#define CPPC_NOWHERE (-1)
#define CPPC_AT_MARKS 0
#define CPPC_AT_CALLS 1
#define CPPC_AT_CALLS_AND_MARKS 2

/* Whose place a process takes, as cppc_hooks.replacement says. */
#define CPPC_REPLACES_RANK 1
#define CPPC_RESTARTS_RANK 2

#define CPPC_NOBODY (-1)
#define CPPC_ANYBODY (-2)

/* What the runtime offers. Valid from the extension's start until the process ends. */
typedef struct cppc_runtime {
  uint32_t version;

  /* Makes the fast path of safe points watch `word` (a non-zero value calls `reached`); NULL: none. */
  void (*watch)(const volatile uint32_t* word);

  /* While MPI starts, in the hook `start`: if the program's state is kept by address, it shall be stopped at any call
   * of MPI, too, by `calls` while `word` is not zero, and by CPPC_LOOK_SIGNAL between calls: CPPC_AT_CALLS, or
   * CPPC_AT_CALLS_AND_MARKS if it has marked safe points. Else nothing happens: CPPC_AT_MARKS, or CPPC_NOWHERE if it
   * has none, because neither wrapper nor translator has seen it. `stopped` gets at a call what the last safe point
   * got. Both must stay until watch_calls(NULL, NULL). */
  int (*watch_calls)(const volatile uint32_t* word, const cppc_calls* calls);

  /* Bytes of all registered objects, dead ones included. Any time. */
  uint64_t (*state_bytes)(void);

  /* An estimate of the memory that a process needs besides the state while it makes an image of it, or restores it from
   * one: what is known of each block of the heap, when the state is kept by its types. Else 0. Any time. */
  uint64_t (*image_memory)(void);

  /* What a replacement should know of the largest blocks of the heap, those worth preparing for, as far as they are in
   * memory: numbers for `expect`, into numbers[capacity]. Returns how many. Any time. */
  uint64_t (*large_blocks)(uint64_t* numbers, uint64_t capacity);

  /* The ranks that this one shares memory with by MPI, itself among them, into ranks[capacity]: they can only be replaced
   * together, on one node (cppc_hooks.go_together). Returns how many; 0 when there are none. Any time. */
  uint64_t (*sharers)(int* ranks, uint64_t capacity);

  /* What the program was granted by MPI_Init_thread, in a replacement after `restore_end` as before: one for which MPI
   * itself was started with less cannot go on. */
  int (*thread_level)(void);

  /* In a replacement, before `fetch`: takes memory for such heap blocks, as large_blocks told of them where they are,
   * and for large global variables. The first touch of memory costs more than filling it. Advice: what does not come
   * true, or is not to be had, costs nothing later. */
  void (*expect)(const uint64_t* numbers, uint64_t count);

  /* Which libraries have data that is carried by address, and where they are loaded, the program itself included: bytes
   * for compare_objects, into out[capacity], as many libraries as there is room for. Returns how many bytes; none when
   * the state is kept by its types. From MPI_Init on, always the same. */
  uint64_t (*describe_objects)(void* out, uint64_t capacity);

  /* In a replacement, before `fetch`: whether it has the same libraries at the same addresses, which only its own start
   * decides. Else CPPC_ERR_MISMATCH, logged by name: the state could not be restored. */
  cppc_status (*compare_objects)(const void* described, uint64_t bytes);

  /* Visits every object, the runtime's own block first. Only inside `stopped`. Data stays valid and unchanged until
   * `stopped` returns. Stops at the first visit that does not return CPPC_OK and returns its value.
   * CPPC_ERR_UNSUPPORTED, logged by name, when something cannot be carried over. */
  cppc_status (*capture)(cppc_status (*visit)(const cppc_block* block, void* context), void* context);

  /* The same in three steps, for a state that a child process keeps as it is: it is searched there for what cannot be
   * carried over, which takes time in proportion to the state, while the program goes on.
   * capture_begin: as capture, usually without the runtime's own block.
   * capture_search: in a child process forked before the program goes on, which keeps the state as it is now; or, where
   * there is no such child, in this process before the program goes on. Once. Takes no locks that other threads may
   * have held when the child was forked.
   * capture_end: in this process, on any thread, when capture_search is over and before the next capture_begin: visits
   * the runtime's own block, if it has not been visited. CPPC_ERR_UNSUPPORTED as capture; CPPC_ERR_SYSTEM, logged, when
   * the child has not come to the end of capture_search. */
  cppc_status (*capture_begin)(cppc_status (*visit)(const cppc_block* block, void* context), void* context);
  void (*capture_search)(void);
  cppc_status (*capture_end)(cppc_status (*visit)(const cppc_block* block, void* context), void* context);

  /* In a replacement, only inside `fetch`: first the runtime's block (its bytes), then a place for the data of each
   * other block (in stored form, as the image has it; its holes may be left alone; `place` stays valid until
   * `restore_end`; *place is NULL for a block that needs none), then the end, which checks that nothing is missing. The beginning takes seconds when
   * there are tens of millions of blocks: meanwhile it calls keep_alive(context) every few milliseconds, which may be
   * NULL. */
  cppc_status (*restore_begin)(const void* runtime_block, uint64_t bytes, void (*keep_alive)(void* context),
                               void* context);
  cppc_status (*restore_place)(cppc_section section, const char* name, uint64_t bytes, void** place);
  cppc_status (*restore_end)(void);

  void (*traffic)(cppc_traffic* out);

  /* Only inside `stopped`: one round of taking out of MPI what is in flight. Messages that were sent and not received
   * wait in the runtime; receives without a message are posted again later; other requests come to their end. Returns
   * 1 when nothing that this process has started is under way any more; more messages may come until the sums of sent
   * and received of all ranks are the same (a message counts as received once it is there in full). To be called by
   * all ranks at a time, since either end of a message has to take part. */
  int (*drain)(void);

  /* After `drain`, when there is no `rebuild`, which does the same: what was taken back is posted again. */
  void (*resume)(void);

  /* While this process waits outside MPI for others to reach the migration point: lets MPI do what they need it for,
   * as the target of their one-sided communication. Does not wait. Returns 1 when that may come again, 0 when nobody
   * can need it. */
  int (*progress)(void);

  /* Only inside cppc_calls.reached: takes part, with dummy data, in the next operation of the communicator of `count`,
   * which other members are inside of: their cppc_current_operation said `what` and `elements`. */
  void (*take_part)(const cppc_collective_count* count, uint64_t what, uint64_t elements);

  /* Collective over `world`: makes it the application's MPI_COMM_WORLD and makes its communicators again from their
   * log. In a process that stays, the earlier ones are freed first. In a replacement, called inside `join`. */
  cppc_status (*rebuild)(MPI_Comm world);

  /* In the process that leaves: frees all communicators of the application. Nothing of the application runs any more.
   */
  void (*abandon)(void);

  /* Why the last capture, compare_objects or restore failed, as it was logged: text of less than `capacity` > 0 bytes,
   * ended by 0. Empty when nothing was logged. */
  void (*reason)(char* out, uint64_t capacity);
} cppc_runtime;

/* How a machine has numbers of a kind: CPPC_SIGNED, CPPC_UNSIGNED or CPPC_FLOAT. */
typedef struct cppc_numbers {
  cppc_kind kind;
  uint32_t size;        /* of each */
  uint32_t significand; /* of CPPC_FLOAT: its bits, the leading one included: 24, 53, 64 or 113; else 0 */
  int big_endian;
} cppc_numbers;

/* What an extension provides; every function set, but for `go_together`, `all_finalize` and `convert`. */
typedef struct cppc_hooks {
  uint32_t version;

  /* CPPC_REPLACES_RANK when this process takes over a rank, a replacement; CPPC_RESTARTS_RANK when the process that
   * the image is of is no more, and may have worked on after it: what it has appended to its files since is cut off;
   * else 0. */
  int replacement;

  /* At the end of MPI_Init, which a replacement calls in cppc_start: *world is the application's world, in a
   * replacement MPI_COMM_NULL until `join`; the application's world has *rank and *size. */
  cppc_status (*start)(MPI_Comm* world, int* rank, int* size);

  /* Safe point number `passed` at `site` while the watched word is not zero. Returns 1 to stop here. */
  int (*reached)(uint64_t passed, unsigned site);

  /* All live state is in its place. In a process that leaves it does not return. */
  void (*stopped)(uint64_t passed, unsigned site);

  /* Replacement: wait for the image and hand it to restore_*. */
  cppc_status (*fetch)(void);

  /* Replacement, every frame restored, at its safe point: report so, and enter the world (`rebuild`). */
  cppc_status (*join)(void);

  /* Replacement: its state cannot be restored, for a reason that was logged. Does not return: the process ends without
   * harm to the job, and the rank goes on where it was; a restart ends. */
  void (*fail)(cppc_status status);

  /* While a capture looks at ranks[count], which share memory: whether all of them are replaced, on one node; also 1 when
   * nobody can know yet where that will be, as for a file. NULL: never. */
  int (*go_together)(const int* ranks, uint64_t count);

  /* In MPI_Finalize, when the rank can be stopped at calls, again and again until it returns 1: whether all ranks have
   * come there. Between two of these calls the rank can be stopped. May wait for a moment, in which MPI works. NULL: a
   * rank waits for no other one. */
  int (*all_finalize)(void);

  /* In MPI_Finalize, then. */
  void (*finish)(void);

  /* For an image of another architecture: gives `count` numbers, one behind the other, the form that they have here.
   * Returns how many it could: fewer when the next one does not fit. NULL: such images cannot be restored. */
  uint64_t (*convert)(const cppc_numbers* from_form, const void* from, const cppc_numbers* to_form, void* to,
                      uint64_t count);
} cppc_hooks;

/* The symbol that an extension exports: fills `hooks`. Called before MPI_Init. */
typedef cppc_status (*cppc_extension_entry)(const cppc_runtime* runtime, cppc_hooks* hooks);
#define CPPC_EXTENSION_ENTRY "cppc_extension"

/* Which libraries the program had opened by dlopen() before it started MPI: a rank has the list in a memfd of this
 * name, and who starts its replacement gives that one the contents in this environment variable. */
#define CPPC_OPENED_LIBRARIES_FILE "cppc-opened-libraries"
#define CPPC_OPENED_LIBRARIES "CPPC_OPENED_LIBRARIES"

/* Whether the program has started MPI with MPI_THREAD_MULTIPLE: then a rank has an empty memfd of this name, and who
 * starts its replacement sets this environment variable. */
#define CPPC_SEVERAL_THREADS_FILE "cppc-several-threads"
#define CPPC_SEVERAL_THREADS "CPPC_SEVERAL_THREADS"

#ifdef __cplusplus
}
#endif
