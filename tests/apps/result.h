/* How a test program tells what it computed: a digest of its results, bit by bit, and whether they are right. */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where every digest starts. */
#define DIGEST_START UINT64_C(0xcbf29ce484222325)

/* The digest of everything before, and then these. The order matters. */
uint64_t digest_word(uint64_t digest, uint64_t word);
uint64_t digest_doubles(uint64_t digest, const double* values, size_t count);

/* The digest of the ranks' digests in their order. Collective; the same on every rank. */
uint64_t digest_ranks(uint64_t own, MPI_Comm communicator);

/* Rank 0 of all prints "PROGRAM: checksum ..." and "PROGRAM: ok", or "PROGRAM: WRONG, " and the printf-like reason.
 * Returns the exit status: 0, or 1 for a wrong result. `right` must be the same on every rank. */
int tell(const char* program, uint64_t checksum, bool right, const char* reason, ...)
    __attribute__((format(printf, 4, 5)));
