/// What migrations have to end with.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "job.hpp"
#include "scene.hpp"

namespace cppc::test {

inline void expect_done(const Finished& migrated) {
  EXPECT_EQ(migrated.status, 0) << migrated.output << migrated.errors;
}

/// Lets a job of four ranks finish that works until the file `stop` is there, and removes that: each rank R has to say
/// "rank R" and `all_right` then.
inline void expect_all_right(Job& job, const std::string& stop, const std::string& all_right) {
  std::ofstream(stop).flush();
  const Finished finished = job.wait();
  std::filesystem::remove(stop);
  EXPECT_EQ(finished.status, 0) << finished.output << finished.errors;
  for (const char* rank : {"0", "1", "2", "3"})
    EXPECT_NE(finished.output.find(std::string("rank ") + rank + all_right), std::string::npos) << finished.output;
}

/// Lets the job finish: its result is that of as many steps without a migration.
inline void expect_same_answer(HeatScene& scene) {
  const Answer answer = scene.finish();
  EXPECT_EQ(answer.status, 0) << answer.errors;
  ASSERT_FALSE(answer.checksum.empty());
  const Answer undisturbed = scene.undisturbed(answer);
  EXPECT_EQ(undisturbed.status, 0) << undisturbed.errors;
  EXPECT_EQ(answer.checksum, undisturbed.checksum);
}

}  // namespace cppc::test
