/// For threads and child processes that are not the program's: its signals are for its own threads.
#pragma once

#include <csignal>

namespace cppc::migration {

/// The calling thread, and what it starts meanwhile, gets no signals as long as this lives.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace cppc::migration
