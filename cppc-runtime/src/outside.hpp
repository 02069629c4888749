/// The stored form of pointers that lead to no object of the state: into the program's or a library's own data and
/// code, to memory that is no more, and values that are no addresses.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cppc/status.h"
#include "layout.hpp"
#include "memory_map.hpp"
#include "modules.hpp"

namespace cppc {

/// Of a number that has this in its two lowest bits, the highest 16 bits say what the 46 others are.
constexpr std::uint64_t outside_form = 3;

/// What a pointer leads to in the constants of the program, which another build has elsewhere.
struct OutsideConstant {
  std::uint64_t stored = 0;  ///< the pointer
  std::string name;          ///< of the constant; empty: text, a literal
  std::string text;
  Leaf leaf;  ///< of the constant
};

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
  [[nodiscard]] const std::vector<OutsideConstant>& constants() const { return constants_; }

 private:
  OutsideEncoder(MemoryMap memory, const void* stack)
      : modules_(Modules::read()), memory_(std::move(memory)), stack_(stack) {}
  void note_constant(std::uint64_t stored, const void* pointer);
  [[nodiscard]] bool dangles(const void* pointer, const MemoryMap::Range* range) const;

  Modules modules_;
  MemoryMap memory_;
  const void* stack_;
  std::vector<ModuleId> used_;
  std::unordered_map<std::size_t, std::size_t> numbers_;  ///< in used_, by module
  std::vector<std::uint64_t> words_;
  std::unordered_map<std::uint64_t, std::size_t> word_numbers_;
  std::vector<OutsideConstant> constants_;
  std::unordered_set<std::uint64_t> noted_;
};

/// Of one restore.
class OutsideDecoder {
 public:
  OutsideDecoder() = default;

  /// CPPC_ERR_MISMATCH, logged by name, when one of the modules is not here.
  static tl::expected<OutsideDecoder, cppc_status> make(std::span<const ModuleId> modules,
                                                        std::vector<std::uint64_t> words);

  /// For an image of another architecture, where nothing of a module lies at the same offset: the program's constants
  /// alone are here.
  static OutsideDecoder of_constants(std::span<const ModuleId> modules, std::vector<std::uint64_t> words,
                                     std::span<const OutsideConstant> constants);

  /// Nothing for a number without meaning.
  [[nodiscard]] tl::expected<void*, std::string> decode(std::uint64_t stored) const;

 private:
  [[nodiscard]] tl::expected<void*, std::string> in_module(std::uint64_t module, std::uint64_t offset,
                                                           std::uint64_t stored) const;

  std::vector<std::uintptr_t> bases_;  ///< of modules that are here
  std::vector<std::uint64_t> words_;
  Modules modules_;
  std::vector<std::string> elsewhere_;  ///< names of modules that are not
  std::unordered_map<std::uint64_t, const void*> constants_;
};

}  // namespace cppc
