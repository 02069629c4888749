/// Objects of MPI that belong to their process alone, made by the program under an extension: datatypes, operations,
/// info objects and error handlers. The program holds small numbers in place of their handles, which mean the same in
/// the process that takes over. Predefined handles are addresses of variables, and stay what they are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <unordered_map>
#include <utility>

#include "log.hpp"
#include "mpi/virtual_table.hpp"

namespace cppc::mpi {

/// One table for each kind of handle. Not thread-safe, as CommTable.
template <class Handle, class Info>
class OwnTable {
  struct Entry {
    Handle real;
    Info info;
  };
  using Table = VirtualTable<Handle, Entry>;

 public:
  static constexpr std::size_t limit = Table::limit;
  static bool is_virtual(Handle handle) { return Table::is_virtual(handle); }
  static std::size_t index_of(Handle handle) { return Table::index_of(handle); }
  static Handle handle_of(std::size_t index) { return Table::handle_of(index); }

  /// The handle that MPI knows. One that has been freed gives nullptr, an invalid handle to MPI.
  static Handle real(Handle handle) { return is_virtual(handle) ? reals_[index_of(handle)] : handle; }

  /// What the program knows `real` as; itself when that is no other.
  [[nodiscard]] Handle handle_for(Handle real) const {
    const auto found = handles_.find(real);
    return found != handles_.end() ? found->second : real;
  }

  /// Null for a handle that is not the table's, or no more.
  [[nodiscard]] Info* find(Handle handle) {
    Entry* const entry = is_virtual(handle) ? entries_.find(handle) : nullptr;
    return entry != nullptr ? &entry->info : nullptr;
  }

  /// The program's handle for `real`. Ends the process when it has too many.
  Handle add(Handle real, Info info) {
    const Handle handle = entries_.add({.real = real, .info = std::move(info)});
    know(handle, real);
    return handle;
  }

  /// Likewise, in the process that takes over, under this index, which is at least 1.
  void put(std::size_t index, Handle real, Info info) {
    remove(handle_of(index));  // of what the program has made before its state was restored
    entries_.put(index, {.real = real, .info = std::move(info)});
    know(handle_of(index), real);
  }

  void remove(Handle handle) {
    if (find(handle) == nullptr) return;
    handles_.erase(real(handle));
    reals_[index_of(handle)] = Handle{};
    entries_.remove(handle);
  }

  /// Calls visit(index, real, info) for each, by index.
  template <class Visit>
  void each(Visit visit) {
    entries_.each([&](std::size_t index, Entry& entry) { visit(index, entry.real, entry.info); });
  }

 private:
  void know(Handle handle, Handle real) noexcept try {
    reals_[index_of(handle)] = real;
    handles_.insert_or_assign(real, handle);
  } catch (const std::bad_alloc&) {
    die(CPPC_ERR_MEMORY, "no memory to remember what the program has made");
  }

  inline static constinit std::array<Handle, limit> reals_{};  // by index: all that most calls look at
  Table entries_;
  std::unordered_map<Handle, Handle> handles_;  // by real one
};

}  // namespace cppc::mpi
