#include "job_comment.hpp"

#include <gtest/gtest.h>

namespace cppc::slurm {
namespace {

const std::string a = "https://login1:4711", b = "https://login1:47110";

TEST(JobComment, AControllerIsAddedToWhatIsThere) {
  EXPECT_EQ(with_controller("", a), "cppc=https://login1:4711");
  EXPECT_EQ(with_controller("my  project", a), "my  project cppc=https://login1:4711");
  EXPECT_EQ(with_controller(with_controller("x", a), a), with_controller("x", a)) << "once";
}

TEST(JobComment, AndTakenOutAgain) {
  for (const std::string comment : {"", "x", "my  project", "cppc=https://other:1", "xcppc=https://login1:4711"}) {
    EXPECT_EQ(without_controller(with_controller(comment, a), a), comment);
    EXPECT_EQ(without_controller(comment, a), comment);
  }
  EXPECT_EQ(without_controller("cppc=" + a + " x", a), "x");
  EXPECT_EQ(without_controller("x cppc=" + a + " y", a), "x y");
  EXPECT_EQ(without_controller(with_controller(with_controller("x", b), a), a), "x cppc=" + b);
  EXPECT_EQ(without_controller("cppc=" + b, a), "cppc=" + b) << "another port";
}

TEST(JobComment, ControllersAreFound) {
  using Urls = std::vector<std::string>;
  EXPECT_EQ(controllers_in(""), Urls{});
  EXPECT_EQ(controllers_in("cppc=http://x:1 xcppc=https://x:1 cppc="), Urls{});
  EXPECT_EQ(controllers_in("x cppc=" + a + " y cppc=" + b), (Urls{a, b}));
}

}  // namespace
}  // namespace cppc::slurm
