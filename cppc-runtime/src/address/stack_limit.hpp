/// Libraries lie below the room that the system leaves for the stack, so their places depend on the limit of the
/// stack's size at the time when a program is executed (arch/x86/mm/mmap.c of Linux: mmap_base(); limits below 128 MB
/// make no difference). Where `ulimit -s unlimited` was said for some ranks of a job, and not for others, they would
/// not lie at the same places.
#pragma once

namespace cppc::address::stack_limit {

/// Lowers a limit that would move libraries, for a program that is executed next; false: it does not. restore() gives
/// it back to the program.
bool lower();

/// In a program that has been executed after lower(): the limit that it had, and what new threads get by that limit.
void restore();

}  // namespace cppc::address::stack_limit
