/// Whose work a thread does at the moment: the program's, or that of MPI and of the runtime. Memory, descriptors and
/// keys that are asked for in the program's time are part of its state; all others belong to the process.
///
/// A thread that the program starts in its own time works for the program, too; any other thread never does.
#pragma once

#include <utility>

namespace cppc::address {

/// Of this thread. Always false in a process whose state is not kept by address, so it is all that has to be asked.
/// A load relative to the thread's own register: libcppc is never loaded late.
extern constinit thread_local bool program_time __attribute__((tls_model("initial-exec")));

/// For as long as it lives, what this thread does is not the program's: the first thing in each function that the
/// program calls and libcppc answers.
class OutsideProgram {
 public:
  OutsideProgram() : before_(std::exchange(program_time, false)) {}
  OutsideProgram(const OutsideProgram&) = delete;
  OutsideProgram& operator=(const OutsideProgram&) = delete;
  ~OutsideProgram() { program_time = before_; }

 private:
  const bool before_;
};

/// The reverse, for functions of the program that MPI calls (operations, attributes, error handlers): the program's
/// again, if its state is kept by address.
class InsideProgram {
 public:
  InsideProgram();
  InsideProgram(const InsideProgram&) = delete;
  InsideProgram& operator=(const InsideProgram&) = delete;
  ~InsideProgram() {
    program_time = before_;
    --depth_;
  }

  /// Whether this thread is inside a function of the program that MPI, or libcppc, has called.
  static bool any() { return depth_ != 0; }

 private:
  static thread_local constinit unsigned depth_ __attribute__((tls_model("initial-exec")));
  const bool before_;
};

/// Whether this process's state is kept by address: it was linked so, or has libcppc preloaded, and an extension is to
/// move it. The same from before the first constructor of the program on.
bool kept_by_address();

}  // namespace cppc::address
