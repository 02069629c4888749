/// The check of a state that is kept by address: every word of it that may be an address either leads to memory that is
/// carried as well, or to something that every process of the program has, or makes the migration fail by name.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "address/c_library_heap.hpp"
#include "address/carried_objects.hpp"
#include "address/mpi_memory.hpp"
#include "address/pieces.hpp"
#include "address/word_scan.hpp"
#include "memory_map.hpp"
#include "modules.hpp"

namespace cppc::address {

class OutwardWords {
 public:
  /// Words that lead into `carried` are no matter of this check. What the program has on its stack begins at
  /// `stack_end`. CPPC_ERR_SYSTEM, logged.
  static tl::expected<OutwardWords, cppc_status> make(std::span<const CarriedObject> carried,
                                                      const std::byte* stack_end);

  /// Empty, or why the state cannot be carried over, by name.
  using Looked = tl::expected<void, std::string>;

  /// Looks at all words of a piece that are not in its holes. An error for the first one that leads to what no other
  /// process has. What a stack leaves behind between variables may be anything: there, and
  /// in blocks that it has freed, such words are left as they are. So are words, anywhere, that lead to what MPI has to
  /// itself, its plugins and its memory: it gives the program no such address, but works on the program's
  /// stack, as the dynamic linker does, and what it leaves there gets into variables that have not been set.
  Looked look(const Piece& piece, std::uint32_t number);

  /// As cppc_block has it.
  [[nodiscard]] bool shared(const Piece& piece) const;

  /// What a process in which libraries lie elsewhere has to write anew.
  [[nodiscard]] const std::vector<OutwardWord>& words() const { return words_; }
  [[nodiscard]] const std::vector<Library>& libraries() const { return libraries_; }

 private:
  OutwardWords(MemoryMap memory, std::span<const CarriedObject> carried, const std::byte* stack_end);
  Looked look(const Piece& piece, std::uint32_t number, std::uint64_t offset, std::uint64_t bytes);
  Looked settle(const Piece& piece, std::uint32_t number, std::uint64_t offset, std::uintptr_t word);
  Looked settle_lock(const Piece& piece, std::uint32_t number, std::uint64_t offset, std::uintptr_t word);
  [[nodiscard]] bool is_unknown_to_program(const MemoryMap::Range& range, std::uintptr_t word);
  [[nodiscard]] bool is_linkers(const MemoryMap::Range& range, std::uintptr_t word);
  [[nodiscard]] bool may_be_left(const Piece& piece, const std::byte* place) const;
  std::uint32_t number_of(std::size_t module);

  Modules modules_;
  MemoryMap memory_;
  std::span<const CarriedObject> carried_;
  std::vector<std::span<const std::byte>> stacks_;  ///< of the program's making
  Windows windows_;                                 ///< where the memory of others lies
  std::uintptr_t thread_ = 0;                       ///< the register of the calling thread
  std::uintptr_t thread_begin_ = 0;
  MpiMemory of_mpi_;
  CLibraryHeap c_heap_;
  std::unordered_set<std::uintptr_t> unknown_to_program_;
  std::vector<OutwardWord> words_;
  std::vector<Library> libraries_;
  std::unordered_map<std::size_t, std::uint32_t> numbers_;  ///< in libraries_, by module
};

struct LibraryHere {
  std::uintptr_t base = 0;
  std::uintptr_t record = 0;  ///< the dynamic linker's
};

/// Where they are in this process; an error, for a message, if one is not here.
tl::expected<std::vector<LibraryHere>, std::string> libraries_here(std::span<const Library> libraries);

/// Of the calling thread.
std::uintptr_t thread_register();

}  // namespace cppc::address
