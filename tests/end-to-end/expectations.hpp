/// What migrations of the heat solver have to end with.
#pragma once

#include <gtest/gtest.h>

#include "scene.hpp"

namespace cppc::test {

inline void expect_done(const Finished& migrated) {
  EXPECT_EQ(migrated.status, 0) << migrated.output << migrated.errors;
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
