#include "agent/remains.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

namespace cppc::migration {
namespace {

class RemainsTest : public testing::Test {
 protected:
  RemainsTest() {
    std::string name = std::filesystem::temp_directory_path() / "cppc-remains-XXXXXX";
    directory_ = mkdtemp(name.data());
  }
  ~RemainsTest() override { std::filesystem::remove_all(directory_); }

  void make(const std::string& file) const { std::ofstream{directory_ / file}; }
  [[nodiscard]] std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory_)) names.insert(entry.path().filename());
    return names;
  }

  std::filesystem::path directory_;
  const std::string user_ = std::to_string(geteuid());
};

TEST_F(RemainsTest, RemovesSharedMemoryOfAnMpirunThatHasEnded) {
  make("vader_segment.node0." + user_ + ".bb990001.0");
  make("vader_segment.node0.site.org." + user_ + ".bb990002.17");
  make("vader_segment.node0." + user_ + ".10001.0");
  const std::array<int, 2> ended{0xbb99, 1};
  remove_remains(ended, directory_);
  EXPECT_EQ(files(), std::set<std::string>{});
}

TEST_F(RemainsTest, LeavesWhatIsNotTheJobs) {
  const std::set<std::string> others{
      "vader_segment.node0." + user_ + ".bb980001.0",   // of another mpirun
      "vader_segment.node0." + user_ + "1.bb990001.0",  // of another user
      "vader_segment.node0." + user_ + ".bb990001",     "vader_segment.node0." + user_ + ".fbb990001.0",
      "x.vader_segment.node0." + user_ + ".bb990001.0", "segment"};
  for (const std::string& file : others) make(file);
  const std::array<int, 1> ended{0xbb99};
  remove_remains(ended, directory_);
  EXPECT_EQ(files(), others);
}

TEST_F(RemainsTest, KnowsItsMpirunByTheJobsNumber) {
  setenv("PMIX_NAMESPACE", "3147366401", 1);
  EXPECT_EQ(own_mpirun(), 0xbb99);
  for (const char* other : {"", "job", "99999999999", "3147366401x"}) {
    setenv("PMIX_NAMESPACE", other, 1);
    EXPECT_EQ(own_mpirun(), 0) << other;
  }
  unsetenv("PMIX_NAMESPACE");
  EXPECT_EQ(own_mpirun(), 0);
}

}  // namespace
}  // namespace cppc::migration
