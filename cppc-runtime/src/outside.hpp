/// The stored form of pointers that lead to no object of the state: into the program's or a library's own data and
/// code, to memory that is no more, and values that are no addresses.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <unordered_map>
#include <vector>

#include "cppc/status.h"
#include "memory_map.hpp"
#include "modules.hpp"

namespace cppc {

/// Of a number that has this in its two lowest bits, the highest 16 bits say what the 46 others are.
constexpr std::uint64_t outside_form = 3;

/// Of one capture.
class OutsideEncoder {
 public:
  /// `stack`: where the program's part of the stack ends: nobody uses what lies beyond.
  static tl::expected<OutsideEncoder, cppc_status> make(const void* stack);

  /// The error says, for a message that goes on to name the pointer, why it cannot be carried over.
  tl::expected<std::uint64_t, std::string> encode(const void* pointer);

  /// What memory this process has.
  [[nodiscard]] const MemoryMap& memory() const { return memory_; }

  /// Modules that stored forms refer to.
  [[nodiscard]] const std::vector<ModuleId>& modules() const { return used_; }
  /// Values that they refer to.
  [[nodiscard]] const std::vector<std::uint64_t>& words() const { return words_; }

 private:
  OutsideEncoder(MemoryMap memory, const void* stack)
      : modules_(Modules::read()), memory_(std::move(memory)), stack_(stack) {}
  [[nodiscard]] bool dangles(const void* pointer, const MemoryMap::Range* range) const;

  Modules modules_;
  MemoryMap memory_;
  const void* stack_;
  std::vector<ModuleId> used_;
  std::unordered_map<std::size_t, std::size_t> numbers_;  ///< in used_, by module
  std::vector<std::uint64_t> words_;
  std::unordered_map<std::uint64_t, std::size_t> word_numbers_;
};

/// Of one restore.
class OutsideDecoder {
 public:
  OutsideDecoder() = default;

  /// CPPC_ERR_MISMATCH, logged by name, when one of the modules is not here.
  static tl::expected<OutsideDecoder, cppc_status> make(std::span<const ModuleId> modules,
                                                        std::vector<std::uint64_t> words);

  /// Nothing for a number without meaning.
  [[nodiscard]] tl::expected<void*, std::string> decode(std::uint64_t stored) const;

 private:
  std::vector<std::uintptr_t> bases_;
  std::vector<std::uint64_t> words_;
  Modules modules_;
};

}  // namespace cppc
