#include "address/outward_words.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "address/dead_claims.hpp"
#include "address/describe.hpp"
#include "address/places.hpp"
#include "address/process/environment.hpp"
#include "address/process/held_locks.hpp"
#include "address/process/named_locales.hpp"
#include "address/process/stacks.hpp"
#include "address/process/streams.hpp"
#include "address/process/threads.hpp"
#include "address/region_heap.hpp"
#include "address/startup_words.hpp"
#include "address/thread_locks.hpp"

namespace cppc::address {

namespace {

/// What the C library keeps about a thread lies behind its register.
constexpr std::uintptr_t kThreadBlock = 0x900;

/// Words that are looked at one by one where some may lead out.
constexpr std::size_t kWords = 8;

bool is_carried_module(std::span<const CarriedObject> carried, const std::string& name) {
  return std::ranges::find(carried, name, &CarriedObject::name) != carried.end();
}

/// MPI loads its plugins when it needs them, and keeps what is in them to itself.
bool is_plugin_of_mpi(const std::string& name) { return name.starts_with("mca_") || name.starts_with("libmca_"); }

}  // namespace

std::uintptr_t thread_register() {
  std::uintptr_t value = 0;
  asm("mov %%fs:0, %0" : "=r"(value));
  return value;
}

tl::expected<OutwardWords, cppc_status> OutwardWords::make(std::span<const CarriedObject> carried,
                                                           const std::byte* stack_end) {
  auto memory = MemoryMap::read();
  if (!memory) return tl::unexpected(memory.error());
  return OutwardWords(std::move(*memory), carried, stack_end);
}

OutwardWords::OutwardWords(MemoryMap memory, std::span<const CarriedObject> carried, const std::byte* stack_end)
    : modules_(Modules::read()),
      memory_(std::move(memory)),
      carried_(carried),
      stacks_(stacks::all()),
      thread_(thread_register()) {
  if (RegionHeap::owns(stack_end)) {  // below, in the same block, is what functions have left that have returned
    const std::byte* const begin = RegionHeap::find_block(stack_end).data();
    if (begin != nullptr) stacks_.emplace_back(begin, stack_end);
  }
  windows_.thread = static_cast<std::uintptr_t>(gettid());
  thread_begin_ = thread_;
  for (const CarriedObject& object : carried)
    if (!object.thread_data.empty())
      thread_begin_ = std::min(thread_begin_, reinterpret_cast<std::uintptr_t>(object.thread_data.data()));
  // Those of other libraries are as far from the register in every process of the program: errno's address, for one.
  if (const MemoryMap::Range* const own = memory_.find(reinterpret_cast<const void*>(thread_)); own != nullptr)
    thread_begin_ = std::min(thread_begin_, modules_.thread_data_in(own->begin, thread_));
  // The executable lies below all others, be it at a fixed place or not, and so does the program's own memory.
  const auto in_executable = [&](const MemoryMap::Range& range) {
    const auto place = modules_.find(reinterpret_cast<const void*>(range.begin));
    return place && place->module == 0;
  };
  for (const MemoryMap::Range& range : memory_.ranges()) {
    if (is_program_memory(reinterpret_cast<const void*>(range.begin)) || in_executable(range)) continue;
    if (range.begin >= kSystemHalf) continue;  // the page of vsyscall: most numbers look like addresses before it
    (range.begin < kRoots ? windows_.below : windows_.above).add(range.begin, range.end);
  }
}

/// Of what the program has mapped privately of a file, pages that it has not written to change with the file.
bool OutwardWords::shared(const Piece& piece) const {
  if (memory_.shared(piece.memory)) return true;
  if (piece.section != CPPC_SECTION_MAPPING) return false;
  const MemoryMap::Range* const range = memory_.find(piece.memory.data());
  return range == nullptr || !range->name.empty();
}

OutwardWords::Looked OutwardWords::look(const Piece& piece, std::uint32_t number) {
  for (const auto& [offset, bytes] : parts_between(piece.holes, piece.memory.size()))
    if (Looked looked = look(piece, number, offset, bytes); !looked) return looked;
  return {};
}

OutwardWords::Looked OutwardWords::look(const Piece& piece, std::uint32_t number, std::uint64_t offset,
                                        std::uint64_t bytes) {
  // Addresses are aligned, in memory; the piece may not be.
  const auto begin = reinterpret_cast<std::uintptr_t>(piece.memory.data());
  const std::uintptr_t first = (begin + offset + sizeof first - 1) / sizeof first * sizeof first;
  const std::uintptr_t end = begin + offset + bytes;
  if (end < first) return {};
  const std::span words(reinterpret_cast<const std::uintptr_t*>(first), (end - first) / sizeof first);
  for (std::size_t at = 0; at < words.size();) {
    at += pass_over(words.subspan(at), windows_);
    for (const std::size_t group = std::min(at + kWords, words.size()); at < group; ++at) {
      if (!windows_.hold(words[at])) continue;
      const std::uint64_t place = reinterpret_cast<std::uintptr_t>(&words[at]) - begin;
      if (Looked settled = settle(piece, number, place, words[at]); !settled) return settled;
    }
  }
  return {};
}

std::uint32_t OutwardWords::number_of(std::size_t module) {
  const auto [found, added] = numbers_.emplace(module, static_cast<std::uint32_t>(libraries_.size()));
  if (added) {
    const ModuleId id = modules_.id(module);
    libraries_.push_back({id.name, id.identity, modules_.base(module)});
  }
  return found->second;
}

/// The C library compares the owner of such a lock with the number of the thread, which is another one in another
/// process.
OutwardWords::Looked OutwardWords::settle_lock(const Piece& piece, std::uint32_t number, std::uint64_t offset,
                                               std::uintptr_t word) {
  const ThreadLock held = lock_held_by(piece.memory, offset, static_cast<int>(windows_.thread));
  if (!held_locks::is_held(piece.memory.data() + offset)) {  // a number of the program's
    if (held == ThreadLock::none || !held_locks::too_many()) return {};
    return tl::unexpected(
        fmt::format("{} may be part of a lock, of which the main thread has had more at a time than "
                    "libcppc remembers: unlock some before the rank is moved",
                    describe(piece, offset)));
  }
  switch (held) {
    case ThreadLock::none:
      break;
    case ThreadLock::by_number:
      words_.push_back({number, owner_of_lock, offset, word & ~std::uintptr_t{0xffffffff}});
      break;
    case ThreadLock::known_to_system:
      return tl::unexpected(
          fmt::format("{} is part of a mutex, robust or with priority inheritance, that the main thread has locked, "
                      "which cannot be carried to another process; unlock it before the rank is moved",
                      describe(piece, offset)));
  }
  return {};
}

/// A word that leads to where others have, or may have, memory.
OutwardWords::Looked OutwardWords::settle(const Piece& piece, std::uint32_t number, std::uint64_t offset,
                                          std::uintptr_t word) {
  if (named_locales::holds(piece.memory.data() + offset)) return {};
  if (windows_.names_thread(word)) return settle_lock(piece, number, offset, word);
  const void* const target = reinterpret_cast<const void*>(word);
  if (threads::had_memory_at(target)) return {};  // they have ended
  if (const auto found = modules_.find(target)) {
    const std::string& name = modules_.name(found->module);
    if (is_carried_module(carried_, name)) return {};
    if (is_plugin_of_mpi(name)) return {};
    words_.push_back({number, number_of(found->module), offset, found->offset});
    return {};
  }
  const MemoryMap::Range* const range = memory_.find(target);
  if (range == nullptr || is_program_memory(target)) return {};
  if (range->protection == PROT_NONE) return {};  // kept free by others, as for a heap: nothing is there
  if (word >= thread_begin_ && word < thread_ + kThreadBlock) {
    words_.push_back({number, own_thread, offset, word - thread_});
    return {};
  }
  if (is_startup_word(reinterpret_cast<std::uintptr_t>(piece.memory.data()) + offset, word, range->end)) {
    words_.push_back({number, from_startup, offset, 0});
    return {};
  }
  if (const auto module = modules_.find_record(word); module && is_in_every_process(modules_.base(*module))) {
    words_.push_back({number, record_of + number_of(*module), offset, 0});
    return {};
  }
  // When a function is called for the first time, the dynamic linker leaves such on the stack; HDF5 copies from there.
  if (modules_.is_within_record(word)) return {};
  if (was_on_startup_stack(*range, target)) return {};
  if (may_be_left(piece, piece.memory.data() + offset)) return {};
  if (streams::is_link(piece.memory.data() + offset)) return {};
  if (const auto place = environment::place_in_array(target)) {
    words_.push_back({number, environment_array, offset, *place});
    return {};
  }
  if (is_unknown_to_program(*range, word)) return {};
  return tl::unexpected(fmt::format(
      "{} holds the address {:#x} in {}, which no other process has: the rank cannot be moved while it does",
      describe(piece, offset), word, describe(*range)));
}

/// The same words are left again and again.
bool OutwardWords::is_unknown_to_program(const MemoryMap::Range& range, std::uintptr_t word) {
  if (unknown_to_program_.contains(word)) return true;
  if (!of_mpi_.holds(range, word) && !is_linkers(range, word)) return false;
  unknown_to_program_.insert(word);
  return true;
}

/// Memory that the dynamic linker took before there was a C library, the records of libraries among it, and the main
/// thread's own block. To the program it gives no other addresses than those of records and of thread-locals, which
/// have been looked at before.
bool OutwardWords::is_linkers(const MemoryMap::Range& range, std::uintptr_t word) {
  if (!range.name.empty() || modules_.find_record(word) || c_heap_.holds(range, word)) return false;
  if (thread_ >= range.begin && thread_ < range.end) return true;
  const auto of_linker = [&](std::uintptr_t record) { return !c_heap_.holds(range, record); };
  return std::ranges::any_of(modules_.records_in(range.begin, range.end), of_linker);
}

bool OutwardWords::may_be_left(const Piece& piece, const std::byte* place) const {
  const auto holds = [place](const auto stack) { return place >= stack.data() && place < stack.data() + stack.size(); };
  return piece.section == CPPC_SECTION_STACK || std::ranges::any_of(stacks_, holds) || RegionHeap::is_free(place) ||
         environment::holds(place);
}

tl::expected<std::vector<LibraryHere>, std::string> libraries_here(std::span<const Library> libraries) {
  const Modules modules = Modules::read();
  std::vector<LibraryHere> here;
  for (const Library& library : libraries) {
    const auto module = modules.number_of({library.name, library.identity});
    if (!module) return tl::unexpected(module.error());
    here.push_back({modules.base(*module), modules.record(*module)});
  }
  return here;
}

}  // namespace cppc::address
