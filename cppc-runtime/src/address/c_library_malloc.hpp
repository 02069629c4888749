/// The C library's own malloc() and its kin, also where the program is linked with a library that stands in front of
/// them, as jemalloc, tcmalloc and mimalloc do.
#pragma once

#include <cstddef>

namespace cppc::address {

struct CLibraryMalloc {
  void* (*malloc)(std::size_t bytes);
  void* (*calloc)(std::size_t count, std::size_t bytes);
  void* (*realloc)(void* block, std::size_t bytes);
  void* (*memalign)(std::size_t alignment, std::size_t bytes);
  void (*free)(void* block);
  std::size_t (*usable_size)(void* block);

  /// The first call is the dynamic linker's, before there are threads.
  static const CLibraryMalloc& get();
};

}  // namespace cppc::address
