/// Runs a program of programs/ whose state goes on in another process.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "process.hpp"

namespace cppc::test {

inline Finished run_moved(const std::string& program) {
  return Process({PROCESS_PROGRAM, program},
                 {"CPPC_EXTENSION=none", "CPPC_BY_ADDRESS=1", "GIVEN=from outside", "OMP_WAIT_POLICY=passive"})
      .wait();
}

/// What it says, in both processes.
inline void expect_moved(const std::string& program, const std::string& output, int status = 0) {
  const Finished finished = run_moved(program);
  EXPECT_EQ(finished.output, output) << finished.errors;
  EXPECT_EQ(finished.status, status) << finished.errors;
}

enum Refusal { at_capture = 2, at_restore = 3 };

/// With these words among what it logs.
inline void expect_refused(const std::string& program, Refusal when, const std::string& words) {
  const Finished finished = run_moved(program);
  EXPECT_EQ(finished.status, when) << finished.output << finished.errors;
  EXPECT_NE(finished.errors.find(words), std::string::npos) << finished.errors;
}

}  // namespace cppc::test
