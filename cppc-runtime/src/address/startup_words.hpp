/// Words that constructors of carried libraries have left before the program began, in variables or in memory of the
/// program's heap, and that lead to memory which is the process's: what the C library has given out there, a locale for
/// instance. Every process that starts runs the same constructors, so a process that takes over keeps its own words.
/// What they lead to must be as it was at the start.
#pragma once

#include <cstdint>
#include <optional>

#include "memory_map.hpp"

namespace cppc::address {

/// After note_objects_at_start() and start_heap(), before the program begins. Once. `stack`: below it lie the
/// constructors' calls, on the stack that the system gave to the process.
void note_startup_words(const void* stack);

/// Whether `address`, in `range`, was a variable of a constructor, or of another call that ended before main(): nobody
/// uses it.
bool was_on_startup_stack(const MemoryMap::Range& range, const void* address);

/// Whether the word at `address` was `value` at the start, and leads to what it led to then. There is memory from
/// `value` up to `end`.
bool is_startup_word(std::uintptr_t address, std::uintptr_t value, std::uintptr_t end);

/// What this process's constructors have left there; nothing if there is no such word.
std::optional<std::uintptr_t> startup_word(std::uintptr_t address);

}  // namespace cppc::address
