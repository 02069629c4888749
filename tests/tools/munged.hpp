/// A munged of the test's own, with a key that nobody else has. It ends with its owner.
#pragma once

#include <filesystem>
#include <string>

#include "process.hpp"
#include "temporary_directory.hpp"

namespace cppc::test {

class Munged {
 public:
  Munged();

  const std::string& socket() const { return socket_; }
  /// What makes cppc-run and migrate use it.
  std::string setting() const { return "CPPC_MUNGE_SOCKET=" + socket_; }

 private:
  TemporaryDirectory directory_;
  const std::string socket_ = directory_.path() + "/socket";
  Process process_;
};

}  // namespace cppc::test
