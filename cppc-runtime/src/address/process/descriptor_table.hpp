/// Whose numbers they are: the part of descriptors.hpp that open() and its like ask, in signal handlers, too.
#pragma once

#include <cstdint>

namespace cppc::address::descriptors {

/// An open file description, as the system calls what numbers share.
using Description = std::uint64_t;

inline constexpr int kStandard = 3;  ///< numbers
inline constexpr int kNumbers = 1 << 16;
inline constexpr Description kClosed = ~Description{0};  ///< by the program: one of the first three

/// Part of a description: a file that did not exist before, so that nobody else has it open, unless it was told its
/// name.
inline constexpr Description kCreated = Description{1} << 63;
constexpr bool is_created(Description description) { return description != kClosed && (description & kCreated) != 0; }

/// Numbers 0, 1 and 2 start with descriptions 1, 2 and 3.
constexpr Description standard(int number) { return static_cast<Description>(number) + 1; }

/// 0: the number is not the program's.
Description description_of(int number);
void set(int number, Description description);
Description new_description();

/// One that is not the program's, as far as the interposed functions tell: opened outside its time, or before.
bool is_of_process(int number);
void set_of_process(int number, bool is);

/// The program has been given a number that is too high to be kept account of.
bool any_beyond();

/// By reserve_numbers(), and not used since.
bool is_reserved(int number);
void take_reserved(int number);

}  // namespace cppc::address::descriptors
