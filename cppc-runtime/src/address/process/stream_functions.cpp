/// What the C library has that makes or ends descriptors by streams: done as ever, and told to the table of
/// descriptors.
#undef _FORTIFY_SOURCE

#include <stdio.h>

#include <type_traits>

#include "address/process/descriptors.hpp"
#include "address/process/next.hpp"
#include "address/process/stream_layout.hpp"
#include "address/program_time.hpp"

#pragma GCC visibility push(default)

namespace {

namespace descriptors = cppc::address::descriptors;

FILE* opened(FILE* stream) {
  if (stream != nullptr) descriptors::opened(fileno_unlocked(stream));
  return stream;
}

FILE* created(FILE* stream) {
  if (stream != nullptr) descriptors::created(fileno_unlocked(stream));
  return stream;
}

}  // namespace

extern "C" {

FILE* fopen(const char* __restrict path, const char* __restrict mode) { return opened(CPPC_NEXT(fopen)(path, mode)); }
FILE* fopen64(const char* __restrict path, const char* __restrict mode) {
  return opened(CPPC_NEXT(fopen64)(path, mode));
}

// Under the old number, if there was one.
#define CPPC_REOPENS(name)                                                                        \
  FILE* name(const char* __restrict path, const char* __restrict mode, FILE* __restrict stream) { \
    descriptors::closed(fileno_unlocked(stream));                                                 \
    return opened(CPPC_NEXT(name)(path, mode, stream));                                           \
  }
CPPC_REOPENS(freopen)
CPPC_REOPENS(freopen64)

/// In the C library's list of streams, where it is not by itself, it is found at a move: what it converts with is the
/// process's.
FILE* open_wmemstream(wchar_t** text, size_t* length) noexcept {
  FILE* const stream = CPPC_NEXT(open_wmemstream)(text, length);
  if (stream != nullptr && cppc::address::program_time) _IO_link_in(stream);
  return stream;
}

FILE* popen(const char* command, const char* mode) { return opened(CPPC_NEXT(popen)(command, mode)); }
FILE* tmpfile() { return created(CPPC_NEXT(tmpfile)()); }
FILE* tmpfile64() { return created(CPPC_NEXT(tmpfile64)()); }

int fclose(FILE* stream) {
  descriptors::closed(fileno_unlocked(stream));
  return CPPC_NEXT(fclose)(stream);
}

int pclose(FILE* stream) {
  descriptors::closed(fileno_unlocked(stream));
  return CPPC_NEXT(pclose)(stream);
}

}  // extern "C"

#pragma GCC visibility pop
