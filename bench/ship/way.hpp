/// A way to move a state from one process to another: what each end does, the same steps for all ways so that the same
/// is timed.
///
///   target: prepare() -> a message for the source        source: prepare(message)
///   target: receive()                                    source: move()          <- timed, until the target is done
#pragma once

#include <cstdint>
#include <string>

#include "result.hpp"

namespace cppc::bench {

struct Moved {
  double build_ms = 0;      ///< until there was something to send
  std::uint64_t bytes = 0;  ///< of what was sent
};

class Source {
 public:
  virtual ~Source() = default;
  virtual Result<void> prepare(const std::string& message) = 0;
  virtual Result<Moved> move() = 0;
};

class Target {
 public:
  virtual ~Target() = default;
  virtual Result<std::string> prepare() = 0;
  virtual Result<void> receive() = 0;  ///< until everything is in place
};

}  // namespace cppc::bench
