/// The stack of the program's main thread, at a fixed place (places.hpp), and the ways onto it and off it. The runtime
/// itself works on the stack that the system gave, until the program runs and after it has ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "cppc/status.h"

namespace cppc::address::program_stack {

/// Takes memory for it, as much as the limit of the stack's size says. CPPC_ERR_MEMORY, logged.
cppc_status map();

/// How much that is, in bytes.
std::size_t size();

/// Takes more where it has less than so many bytes, as the rank may have had that goes on here. CPPC_ERR_MEMORY,
/// logged.
cppc_status grow(std::size_t bytes);

/// Runs function(argument) on it; gives what that returns.
int run(int (*function)(void*), void* argument);

/// Calls work(context, end) on the process's own stack: what the program has on its stack lies from `end` on, and does
/// not change meanwhile. Returns when `work` does; and in a process that has these bytes at the same place and calls
/// go_on(end).
void stop(void (*work)(void* context, std::byte* end), void* context);

/// Makes zero what lies below the caller's frame, where functions that have returned have left theirs: a program may
/// copy from there what it never sets, such as the rest of a structure, and addresses that MPI had there would be taken
/// for the program's. Does nothing for a caller on another stack, such as any in a process whose state is not kept by
/// address.
void clear_unused();

/// As stop() does: the program that is there now has stopped.
void has_stopped(std::byte* end);

/// Calls work(context) on the stack that the program has stopped on, below what it has there: for libraries of the
/// program, which note where they were called. On the caller's stack while it has not stopped.
void call(void (*work)(void* context), void* context);

void call(auto work) {
  call([](void* context) { (*static_cast<decltype(work)*>(context))(); }, &work);
}

/// Goes on where stop() was called, registers and the guard of the stack included; gives what the function that runs
/// there, in place of run()'s, returns in the end.
int go_on(std::byte* end, std::uint64_t guard);

/// What lies from `end` on. When the program has stopped on another stack, of its own making: all that it has ever
/// used.
std::span<std::byte> used(std::byte* end);

bool holds(std::span<const std::byte> part);

/// The random number that functions compiled with -fstack-protector compare on their return.
std::uint64_t guard();

}  // namespace cppc::address::program_stack
