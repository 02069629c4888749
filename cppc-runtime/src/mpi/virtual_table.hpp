/// Objects of MPI that are made anew while the program runs, groups, windows and files, and messages that are matched:
/// the program holds small numbers in place of their handles, as it does for communicators (comm_table.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "log.hpp"

namespace cppc::mpi {

template <class Handle, class Object>
class VirtualTable {
 public:
  /// Handles below this are the table's: no object lies there (vm.mmap_min_addr).
  static constexpr std::size_t limit = 65536;

  static bool is_virtual(Handle handle) { return reinterpret_cast<std::uintptr_t>(handle) < limit; }
  static std::size_t index_of(Handle handle) { return reinterpret_cast<std::uintptr_t>(handle); }
  static Handle handle_of(std::size_t index) { return reinterpret_cast<Handle>(index); }

  /// Null for a handle that is not the table's, or no more.
  [[nodiscard]] Object* find(Handle handle) {
    const std::size_t index = index_of(handle);
    return index < slots_.size() && slots_[index] ? &*slots_[index] : nullptr;
  }

  /// Of the object whose `real` one this is; itself when it is none's.
  [[nodiscard]] Handle handle_for(Handle real) const {
    const auto found = std::ranges::find_if(slots_, [&](const auto& slot) { return slot && slot->real == real; });
    return found != slots_.end() ? handle_of(static_cast<std::size_t>(found - slots_.begin())) : real;
  }

  /// Ends the process when the program has too many.
  Handle add(Object object) {
    while (first_free_ < slots_.size() && slots_[first_free_]) ++first_free_;
    put(first_free_, std::move(object));
    return handle_of(first_free_++);
  }

  /// `index` is at least 1.
  void put(std::size_t index, Object object) noexcept try {
    if (index >= limit) die(CPPC_ERR_MEMORY, "the program has more than 65535 objects of MPI of one kind");
    if (index >= slots_.size()) slots_.resize(index + 1);
    slots_[index] = std::move(object);
  } catch (const std::bad_alloc&) {
    die(CPPC_ERR_MEMORY, "no memory for an object of MPI");
  }

  void remove(Handle handle) {
    slots_[index_of(handle)].reset();
    first_free_ = std::min(first_free_, index_of(handle));
  }

  /// Calls visit(index, object) for each, by index.
  template <class Visit>
  void each(Visit visit) {
    for (std::size_t index = 1; index < slots_.size(); ++index) {
      if (slots_[index]) visit(index, *slots_[index]);
    }
  }

 private:
  std::vector<std::optional<Object>> slots_{1};
  std::size_t first_free_ = 1;  // no free index is below
};

}  // namespace cppc::mpi
