/// The executable and the shared libraries of this process. What lies in one of them lies at the same offset in every
/// process that has loaded the same one.
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace cppc {

struct ModuleId {
  std::string name;      ///< of its file; of the executable empty
  std::string identity;  ///< its build id, or a hash of all that is loaded of it and constant

  bool operator==(const ModuleId&) const = default;
};

class Modules {
 public:
  /// Those loaded now; they must stay so while this object is used.
  static Modules read();

  struct Place {
    std::size_t module;
    std::uint64_t offset;
  };
  [[nodiscard]] std::optional<Place> find(const void* address) const;

  [[nodiscard]] ModuleId id(std::size_t module) const;
  [[nodiscard]] const std::string& name(std::size_t module) const { return modules_[module].name; }
  [[nodiscard]] std::uintptr_t base(std::size_t module) const { return modules_[module].base; }

  /// The dynamic linker's record of the module, which dlopen() gives as a handle.
  [[nodiscard]] std::uintptr_t record(std::size_t module) const;
  /// Of which module it is.
  [[nodiscard]] std::optional<std::size_t> find_record(std::uintptr_t record) const;
  [[nodiscard]] std::vector<std::uintptr_t> records_in(std::uintptr_t begin, std::uintptr_t end) const;
  /// Whether the address is within what the dynamic linker has of a module, behind its begin, which dlopen() gives: the
  /// linker has the rest to itself.
  [[nodiscard]] bool is_within_record(std::uintptr_t address) const;

  /// Where, in this range, thread-locals of the thread begin that read the modules; its end: there are none.
  [[nodiscard]] std::uintptr_t thread_data_in(std::uintptr_t begin, std::uintptr_t end) const;

  /// Of the module at this base address; empty: there is none.
  [[nodiscard]] std::string identity_at(std::uintptr_t base) const;

  /// The module. The error says, for a message of its own, why it is not here.
  [[nodiscard]] tl::expected<std::size_t, std::string> number_of(const ModuleId& id) const;

  /// Whether the module has memory at this offset.
  [[nodiscard]] bool has(std::uintptr_t base, std::uint64_t offset) const;

 private:
  struct Module {
    std::string name;
    std::uintptr_t base;
    std::span<const ElfW(Phdr)> segments;
    std::uintptr_t thread_data;  ///< 0: none
  };
  struct Segment {
    std::uintptr_t begin;
    std::uintptr_t end;
    std::size_t module;
  };
  struct Record {
    std::uintptr_t begin;
    std::size_t module;
  };
  [[nodiscard]] std::uintptr_t find_record_of(std::size_t module) const;
  [[nodiscard]] std::span<const Record> records_from(std::uintptr_t begin) const;

  std::vector<Module> modules_;
  std::vector<Segment> segments_;  ///< in memory, by rising address
  std::vector<Record> records_;    ///< by rising address
};

}  // namespace cppc
