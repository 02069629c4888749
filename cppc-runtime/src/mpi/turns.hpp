/// Programs of which several threads call MPI at the same time (MPI_THREAD_MULTIPLE). The runtime's tables and counts
/// belong to one thread at a time: it has its turn from when it enters a function of MPI until it leaves that, but for
/// the time in which it waits there for other ranks. In other programs nobody takes a turn, and all cost nothing but a
/// look.
#pragma once

#include <atomic>
#include <cstdint>

#include "address/program_time.hpp"

namespace cppc::mpi {

class Turns {
 public:
  [[nodiscard]] bool taken() const { return taken_; }

  /// From now on. By the only thread that is inside a function of MPI.
  void begin() { taken_ = true; }

  /// Of the calling thread, as often as it enters functions from functions that MPI has called.
  void enter();
  void leave();

  /// Gives the calling thread's turn to others; how often it had entered, for go_on().
  unsigned pause();
  void go_on(unsigned entered);

  /// Between two looks for a message.
  void yield() {
    if (taken_) [[unlikely]]
      go_on(pause());
  }

  /// Whether threads have entered, and have not ended, that are neither the main one nor in a parallel region of
  /// OpenMP: these may enter again at any time.
  [[nodiscard]] bool others_enter() const { return others_.load(std::memory_order_relaxed) != 0; }

  /// How often the calling thread has entered.
  [[nodiscard]] static unsigned entered() { return entered_; }

 private:
  void note_thread();
  void wait_for_turn();
  void give_turn();

  static thread_local constinit unsigned entered_ __attribute__((tls_model("initial-exec")));
  bool taken_ = false;
  // In the order in which threads come: each of those that wait for messages asks for its turn again and again.
  std::atomic<std::uint32_t> next_{0};
  std::atomic<std::uint32_t> served_{0};
  std::atomic<unsigned> others_{0};
};

extern constinit Turns turns;

/// The first thing in each function of MPI that the program calls: what happens then is not the program's, nor other
/// threads'.
class Entry {
 public:
  Entry() : in_turn_(turns.taken()) {
    if (in_turn_) [[unlikely]]
      turns.enter();
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;
  ~Entry() {
    if (in_turn_) [[unlikely]]
      turns.leave();
  }

 private:
  const address::OutsideProgram outside_;
  const bool in_turn_;
};

/// For as long as it lives, the thread waits inside MPI for other ranks, and other threads have their turns. What it
/// knew of the tables may have moved then.
class Waiting {
 public:
  Waiting() : in_turn_(turns.taken()) {
    if (in_turn_) [[unlikely]]
      entered_ = turns.pause();
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting() {
    if (in_turn_) [[unlikely]]
      turns.go_on(entered_);
  }

 private:
  const bool in_turn_;
  unsigned entered_ = 0;
};

/// What `Function`, which waits for others, returns of these arguments: they come from the tables before.
template <auto Function, class... Arguments>
auto waiting(Arguments... arguments) {
  const Waiting others_have_turns;
  return Function(arguments...);
}

}  // namespace cppc::mpi
