/* One program for each family of MPI's functions: it makes objects once, uses them in every step and checks what comes
 * of it, while ranks move about. Plain MPI, which knows nothing of that. */
#pragma once

#include <mpi.h>
#include <stdbool.h>

extern int me, ranks, before, after; /* in MPI_COMM_WORLD, and the neighbours in a ring */

/* What each program has. */
void make_objects(void);
void use_objects(int step);
void free_objects(void);

/* Notes, and says on standard error, what is not as it should be. */
void expect(bool right, const char* what, const char* file, int line);
#define EXPECT(condition) expect((condition), #condition, __FILE__, __LINE__)
