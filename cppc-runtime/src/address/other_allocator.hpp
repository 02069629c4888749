/// An allocator that the program is linked with, such as jemalloc. malloc() and its kin are libcppc's all the same
/// (malloc.cpp), but functions of its own give blocks, too, `operator new` and mallocx() among them, and those that
/// free these may call free(), which has to know whose a block is.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace cppc::address {

inline bool is_an_allocator(std::string_view library) {
  constexpr std::array prefixes = {"libjemalloc", "libtcmalloc", "libmimalloc", "libtbbmalloc_proxy"};
  for (const char* const prefix : prefixes)
    if (library.starts_with(prefix)) return true;
  return false;
}

/// From malloc()'s first call on; any thread.
class OtherAllocator {
 public:
  /// Null when there is none.
  static OtherAllocator* get() {
    if (!looked_) [[unlikely]]
      look();
    return one_;
  }

  /// The C library has given this block, or nothing.
  void note(void* block);

  /// Whether it has, and has not taken it back. From now on it has.
  bool forget(void* block);

  /// Likewise; it still has.
  bool is_noted(void* block);

  /// For all blocks but those that are noted.
  void (*free)(void* block) = nullptr;
  void* (*realloc)(void* block, std::size_t bytes) = nullptr;
  std::size_t (*usable_size)(void* block) = nullptr;

 private:
  static void look();
  static constinit bool looked_;
  static constinit OtherAllocator* one_;
};

}  // namespace cppc::address
