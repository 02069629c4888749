#include "mpi/turns.hpp"

#include <utility>

#include "address/process/threads.hpp"
#include "handles.hpp"

namespace cppc::mpi {

constinit Turns turns;
constinit thread_local unsigned Turns::entered_ = 0;

void Turns::wait_for_turn() {
  const std::uint32_t mine = next_.fetch_add(1, std::memory_order_relaxed);
  for (std::uint32_t now = 0; (now = served_.load(std::memory_order_acquire)) != mine;) served_.wait(now);
}

void Turns::give_turn() {
  served_.fetch_add(1, std::memory_order_release);
  served_.notify_all();
}

void Turns::note_thread() {
  thread_local const bool is_main = address::on_main_thread();
  if (is_main || address::threads::in_parallel_region()) return;
  struct Noted {
    Noted() { ++turns.others_; }
    ~Noted() { --turns.others_; }
  };
  thread_local const Noted until_it_ends;
  (void)&until_it_ends;  // made here
}

void Turns::enter() {
  if (entered_++ != 0) return;
  note_thread();
  wait_for_turn();
}

void Turns::leave() {
  if (--entered_ == 0) give_turn();
}

unsigned Turns::pause() {
  const unsigned entered = std::exchange(entered_, 0);
  if (entered != 0) give_turn();
  return entered;
}

void Turns::go_on(unsigned entered) {
  if (entered != 0 && entered_ == 0) wait_for_turn();
  entered_ = entered;
}

}  // namespace cppc::mpi

bool cppc::mpi_state::threads_keep_it() { return mpi::turns.others_enter(); }

unsigned cppc::mpi_state::entered() { return mpi::Turns::entered(); }

void cppc::mpi_state::go_on(unsigned entered) { mpi::turns.go_on(entered); }
