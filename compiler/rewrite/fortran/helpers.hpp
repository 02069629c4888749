/// What the routines at safe points are made of, in C.
#pragma once

namespace cppc::rewrite::fortran {

/// What the routines are made of. Numbers are evaluated where the program need not come to them: what cannot be said
/// then is noted, and nothing is dead.
inline constexpr const char* kHelpers = R"(/* Written by cppc: what the program does at its safe points. */
#include <cppc/cppc.h>

struct cppc_rows { char* object; long size, from, to, steps; int wrong; };

static long cppc_divide(struct cppc_rows* rows, long a, long b) {
  if (b == 0) rows->wrong = 1;
  return b == 0 ? 0 : a / b;
}

/* A block or variable that there is not has no address. */
static char* cppc_member(char* block, long offset) { return block != 0 ? block + offset : 0; }

/* gfortran's descriptors. */
struct cppc_array {
  char* base;
  long offset, bytes;
  int version;
  signed char rank, type;
  short attribute;
  long span;
  struct { long stride, low, high; } dims[15];
};

static char* cppc_block(const struct cppc_array* array) { return array != 0 ? array->base : 0; }

/* How many bytes of such elements it has, one behind the other; 0 when there are gaps. */
static long cppc_block_size(const struct cppc_array* array, int rank, long element) {
  long count = 1;
  int d;
  if (array == 0 || array->base == 0 || array->bytes != element || array->span != element)
    return 0;
  for (d = 0; d < rank; ++d) {
    const long extent = array->dims[d].high - array->dims[d].low + 1;
    if (extent <= 0 || array->dims[d].stride != count) return 0;
    count *= extent;
  }
  return count * element;
}

static long cppc_bound(struct cppc_rows* rows, const struct cppc_array* array, int d, int upper) {
  if (array == 0 || array->base == 0) {
    rows->wrong = 1;
    return 0;
  }
  return upper ? array->dims[d].high : array->dims[d].low;
}

/* Of MPI, in Fortran: libcppc has them, if nobody else. Their addresses must not be taken: the executable would have them,
   before libcppc. */
void mpi_comm_size_(const int*, int*, int*);
void mpi_comm_test_inter_(const int*, int*, int*);
void mpi_type_size_(const int*, int*, int*);
void mpi_type_get_extent_(const int*, long*, long*, int*);
void mpi_type_get_true_extent_(const int*, long*, long*, int*);

static long cppc_ranks(struct cppc_rows* rows, long communicator) {
  int handle = (int)communicator, size = 0, inter = 1, error = 0;
  mpi_comm_test_inter_(&handle, &inter, &error);
  if (inter == 0 && error == 0) mpi_comm_size_(&handle, &size, &error);
  if (size <= 0 || inter != 0 || error != 0) rows->wrong = 1;
  return size;
}

/* Whether a datatype has so many bytes, one behind the other. */
static int cppc_is_plain(long type, long bytes) {
  int handle = (int)type, size = 0, error = 0;
  long first = -1, extent = 0, used = -1, length = 0;
  mpi_type_size_(&handle, &size, &error);
  if (error == 0) mpi_type_get_extent_(&handle, &first, &extent, &error);
  if (error == 0) mpi_type_get_true_extent_(&handle, &used, &length, &error);
  return error == 0 && size == bytes && first == 0 && extent == bytes && used == 0 && length == bytes;
}

static long cppc_max(long a, long b) { return a > b ? a : b; }
static long cppc_min(long a, long b) { return a < b ? a : b; }

static long cppc_number(struct cppc_rows* rows, const char* object, long size, long offset, int bytes) {
  if (object == 0 || offset < 0 || offset + bytes > size || bytes > 8) {
    rows->wrong = 1;
    return 0;
  }
  object += offset;
  return bytes == 8 ? *(const long*)object : bytes == 4 ? *(const int*)object
       : bytes == 2 ? *(const short*)object : *(const signed char*)object;
}

static void cppc_tell(const struct cppc_rows* rows) {
  if (rows->to > rows->from) cppc_dead_range(rows->object + rows->from, (size_t)(rows->to - rows->from));
}

static void cppc_flush(struct cppc_rows* rows) {
  cppc_tell(rows);
  rows->from = rows->to = rows->steps = 0;
  rows->wrong = 0;
}

static void cppc_row(struct cppc_rows* rows, long from, long bytes) {
  long to = from + bytes;
  if (rows->wrong || bytes <= 0) return;
  if (from < 0) from = 0;
  if (to > rows->size) to = rows->size;
  if (from >= to) return;
  if (from != rows->to) {
    cppc_tell(rows);
    rows->from = from;
  }
  rows->to = to;
}

static int cppc_too_many(struct cppc_rows* rows) {
  if (++rows->steps > 100000000) rows->wrong = 1;
  return rows->wrong;
}

)";

}  // namespace cppc::rewrite::fortran
