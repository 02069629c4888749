/// The signal CPPC_LOOK_SIGNAL (cppc/hooks.h): while the program computes, it has this thread do what it does at a call
/// of MPI, if everything on its stack is the program's at that moment. Else nothing happens, and it may be sent again.
///
/// The system puts what the thread has in its registers on the program's stack; so they are carried, and the end of the
/// signal's handler puts them back, here or in another process.
#pragma once

namespace cppc::address::interruption {

/// From now on the signal calls look() on the main thread: in the program's code, outside of its signal handlers and of
/// parallel regions, on its own stack. Whether the program can be stopped there, look() has to know. For as long as the
/// process lives. Once; on the main thread.
void start(void (*look)());

}  // namespace cppc::address::interruption
