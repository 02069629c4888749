/// Where memory is put that the program asks for by mmap(). Async-signal-safe, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cppc::address::mapping_places {

inline constexpr unsigned kAttempts = 256;

/// A place that may be free; the next attempt, when it is not, is farther away the more there have been. Null: there is
/// no such place.
void* propose(std::size_t bytes, unsigned attempt);

/// The next proposal is at `end` or behind.
void start_at(std::uintptr_t end);

/// The program has chosen this place itself, or the system has.
void placed(const void* address);

/// Beginnings of what was put outside all places of the program's memory, and may be there no more. False: there has
/// been more at a time than could be noted.
bool outside(std::vector<const void*>& all);

}  // namespace cppc::address::mapping_places
