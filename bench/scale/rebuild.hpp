/// What it costs that all ranks and agents become one communicator again when ranks have moved.
#pragma once

namespace cppc::bench::scale {

struct Rebuild {
  int rounds = 0;         ///< the most communicators that a process makes, one after the other
  long messages = 0;      ///< that all processes together send for them, Open MPI's own included
  long messages_max = 0;  ///< the busiest process
  double milliseconds = 0;
};

/// Counted in a job of so many ranks on eight emulated nodes, while one node is evacuated to the seven others. Ends
/// this process with a message when that fails.
Rebuild measure_rebuild(int ranks);

}  // namespace cppc::bench::scale
