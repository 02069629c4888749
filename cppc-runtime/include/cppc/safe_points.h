/* cppc/safe_points.h: what a program calls at its safe points when its state is kept by address, as the compiler `cppc`
 * writes it; part of cppc/cppc.h, which has the conditions.
 *
 * The compiler includes it behind the program's own text, whose macros may have any name: so nothing is included here,
 * and parameters have names that macros hardly have. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The runtime's; read only by cppc_safe_point(). */
typedef struct cppc_control {
  const volatile __UINT32_TYPE__* doorbell; /* never NULL */
  __UINT64_TYPE__ passed;                   /* safe points reached so far */
} cppc_control;
extern cppc_control cppc_control_block;

int cppc_safe_point_rung(unsigned site_);

/* A place without messages in flight; `site` identifies it in the program (> 0). Returns 1 when the process has to
 * cppc_stop() here, else 0. Every rank passes the same sequence of safe points. */
static __inline int cppc_safe_point(unsigned site_) {
  ++cppc_control_block.passed;
  return __builtin_expect(*cppc_control_block.doorbell != 0, 0) ? cppc_safe_point_rung(site_) : 0;
}

/* Between cppc_safe_point() and cppc_stop(): nobody will read the present contents of the heap block, global or local
 * variable that starts at `address`; it is carried over without them. */
void cppc_dead(const void* address_);

/* With state by address, between cppc_safe_point() and cppc_stop_here(): these bytes are one object, an array say, for
 * the functions below that tell objects apart. Of memory outside the heap they know only what has been told here, and
 * carry over what lies elsewhere. */
void cppc_object(const void* address_, __SIZE_TYPE__ bytes_);

/* Likewise, nobody will read these bytes of one object before they are written; they are carried over without their
 * contents. An object's parts may be named in several calls. */
void cppc_dead_range(const void* address_, __SIZE_TYPE__ bytes_);

/* The same, provided that none of these `count` pointers leads into that object or right behind it. */
void cppc_dead_range_apart(const void* address_, __SIZE_TYPE__ bytes_, const void* const* others_, __SIZE_TYPE__ count_);

/* The same, as far as the bytes are of the object into which `within` leads; elsewhere they may be read. */
void cppc_dead_range_within(const void* address_, __SIZE_TYPE__ bytes_, const void* within_, const void* const* others_,
                            __SIZE_TYPE__ count_);

/* With state by address, between cppc_safe_point() and cppc_stop_here(): the program may go on in several ways. Ranges
 * that cppc_dead_range() names after cppc_dead_way() are dead on one of them; cppc_dead_way() again begins another. What
 * has been named on each of them is dead when cppc_dead_ways_end() is called. */
void cppc_dead_way(void);
void cppc_dead_ways_end(void);

/* Stops at the migration point in a program whose state is kept by address: no frame, nothing declared. Returns in every
 * rank that goes on, in one that has moved in its new process, with all its memory in place but what was called dead.
 * Such a program is linked by cppc-cc, cppc-c++ or cppc-fc. */
void cppc_stop_here(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
