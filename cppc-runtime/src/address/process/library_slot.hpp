/// Where the dynamic linker puts a library that is opened while a program works: it leaves that to the kernel, which
/// takes the highest free addresses. While a LibrarySlot lives, those are the ones below the end of a slot, the same in
/// every process, since all that are free above are taken; they cost no memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace cppc::address {

class LibrarySlot {
 public:
  /// Below this end; 0: of a slot that is empty.
  explicit LibrarySlot(std::uintptr_t end);

  /// The end of an empty slot for a library that others than the program open: the same in processes that open the same
  /// libraries, whatever their order is, but for few. 0: there is none.
  static std::uintptr_t end_for_others(std::string_view path);
  LibrarySlot(const LibrarySlot&) = delete;
  LibrarySlot& operator=(const LibrarySlot&) = delete;
  ~LibrarySlot();

  /// 0: the system does not give addresses away so (a limit of the address space), or all slots are in use.
  [[nodiscard]] std::uintptr_t end() const { return end_; }

 private:
  struct Range {
    std::uintptr_t begin;
    std::uintptr_t end;
  };
  void take_all_above(std::uintptr_t end);
  bool take(Range range);
  void give_back();

  std::uintptr_t end_ = 0;
  std::vector<Range> taken_;
};

}  // namespace cppc::address
