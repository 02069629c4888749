/// A fabric_peer process: started, read from, waited for; ended and swept away behind if it is still there.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cppc/status.h"

class PeerProcess {
 public:
  /// `environment`: "NAME=value" to add.
  explicit PeerProcess(const std::vector<std::string>& arguments, const std::vector<std::string>& environment = {});
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;
  ~PeerProcess();

  struct Result {
    bool killed = false;
    cppc_status status = CPPC_ERR_STATE;  // which no transfer has: nothing was printed
    std::uint64_t bytes = 0;
    std::uint64_t sent = 0;
    std::uint64_t again = 0;
    bool contents_right = false;
    std::string log;
  };

  /// The hexadecimal offer a target has printed; empty when it printed none.
  std::string offer();

  /// Waits for the end.
  Result wait();

 private:
  struct FileCloser {
    void operator()(FILE* file) const { std::fclose(file); }
  };
  std::string read_line();
  void reap(bool kill_first);

  pid_t pid_ = -1;
  bool killed_ = false;
  std::unique_ptr<FILE, FileCloser> output_;
  std::unique_ptr<FILE, FileCloser> log_;
  std::string held_;  // a line read that was no offer
};
