/// Where the state of ranks is kept by address, libraries have to lie at the same places in all processes of a program.
#pragma once

#include <sys/personality.h>

namespace cppc {

/// What this process executes next, and the children of that, start without address space randomization, if the system
/// allows it. Before the first thread.
inline void execute_without_randomization() {
  const int present = personality(0xffffffff);
  if (present >= 0) personality(static_cast<unsigned long>(present) | ADDR_NO_RANDOMIZE);
}

}  // namespace cppc
