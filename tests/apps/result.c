#include "result.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a by words; the shift brings the high bits, where doubles differ, to the low ones. */
uint64_t digest_word(uint64_t digest, uint64_t word) {
  digest = (digest ^ word) * UINT64_C(0x100000001b3);
  return digest ^ (digest >> 29);
}

uint64_t digest_doubles(uint64_t digest, const double* values, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    uint64_t word;
    memcpy(&word, &values[i], sizeof word);
    digest = digest_word(digest, word);
  }
  return digest;
}

uint64_t digest_ranks(uint64_t own, MPI_Comm communicator) {
  int ranks;
  MPI_Comm_size(communicator, &ranks);
  uint64_t* all = malloc((size_t)ranks * sizeof *all);
  if (all == NULL) {
    fprintf(stderr, "no memory for the digests of %d ranks\n", ranks);
    MPI_Abort(communicator, 1);
    return 0;
  }
  MPI_Allgather(&own, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, communicator);
  uint64_t digest = DIGEST_START;
  for (int rank = 0; rank < ranks; ++rank) digest = digest_word(digest, all[rank]);
  free(all);
  return digest;
}

int tell(const char* program, uint64_t checksum, bool right, const char* reason, ...) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    printf("%s: checksum %016" PRIx64 "\n", program, checksum);
    if (right) {
      printf("%s: ok\n", program);
    } else {
      va_list arguments;
      va_start(arguments, reason);
      printf("%s: WRONG, ", program);
      vprintf(reason, arguments);
      printf("\n");
      va_end(arguments);
    }
  }
  return right ? 0 : 1;
}
