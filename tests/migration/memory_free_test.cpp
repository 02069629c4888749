#include "cppc/memory_free.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <string>

namespace cppc::migration {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMB = 1024 * 1024;

/// A machine with 1000 MB available, whose proc and sys are in a directory of the test.
class MemoryFreeTest : public testing::Test {
 protected:
  MemoryFreeTest() {
    std::string pattern = "/tmp/cppc-memory-XXXXXX";
    root_ = mkdtemp(pattern.data());
    write("proc/meminfo", "MemTotal: 4096000 kB\nMemAvailable: 1024000 kB\n");
  }
  ~MemoryFreeTest() override { fs::remove_all(root_); }

  void write(const std::string& name, const std::string& content) {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << content;
  }
  void second(const std::string& group, const std::string& mounted = "/") {
    write("proc/self/cgroup", "0::" + group + "\n");
    write("proc/self/mountinfo",
          "22 1 0:20 / /proc rw - proc proc rw\n"
          "30 22 0:26 " +
              mounted + " /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n");
  }
  void limit(const std::string& group, const std::string& most, std::uint64_t used, std::uint64_t cache = 0) {
    write("sys/fs/cgroup" + group + "/memory.max", most + "\n");
    write("sys/fs/cgroup" + group + "/memory.current", std::to_string(used) + "\n");
    write("sys/fs/cgroup" + group + "/memory.stat", "anon 1\ninactive_file " + std::to_string(cache) + "\n");
  }

  fs::path root_;
};

TEST_F(MemoryFreeTest, MachinesMemoryCountsWithoutControlGroups) { EXPECT_EQ(memory_free(root_), 1000 * kMB); }

TEST_F(MemoryFreeTest, ControlGroupWithLessMemoryCounts) {
  second("/job/step");
  limit("/job/step", std::to_string(500 * kMB), 200 * kMB);
  EXPECT_EQ(memory_free(root_), 300 * kMB);
}

TEST_F(MemoryFreeTest, AGroupThatLeavesMoreDoesNotMatter) {
  second("/job");
  limit("/job", std::to_string(5000 * kMB), 0);
  EXPECT_EQ(memory_free(root_), 1000 * kMB);
}

TEST_F(MemoryFreeTest, GroupsAboveCountAsWell) {
  second("/job/step");
  limit("/job/step", "max", 200 * kMB);
  limit("/job", std::to_string(600 * kMB), 500 * kMB);
  EXPECT_EQ(memory_free(root_), 100 * kMB);
}

TEST_F(MemoryFreeTest, CacheThatAGroupCanGiveBackIsFree) {
  second("/job");
  limit("/job", std::to_string(500 * kMB), 450 * kMB, 400 * kMB);
  EXPECT_EQ(memory_free(root_), 450 * kMB);
}

TEST_F(MemoryFreeTest, AGroupAboveItsLimitLeavesNothing) {
  second("/job");
  limit("/job", std::to_string(100 * kMB), 200 * kMB);
  EXPECT_EQ(memory_free(root_), 0U);
}

TEST_F(MemoryFreeTest, InAContainerTheMountPointIsItsGroup) {
  second("/docker/abc/step", "/docker/abc");
  limit("", std::to_string(300 * kMB), 100 * kMB);
  EXPECT_EQ(memory_free(root_), 200 * kMB);
  second("/../elsewhere");
  EXPECT_EQ(memory_free(root_), 200 * kMB);
}

TEST_F(MemoryFreeTest, TheFirstVersionCountsLikewise) {
  write("proc/self/cgroup", "12:cpu,cpuacct:/other\n7:memory:/job/step\n0::/\n");
  write("proc/self/mountinfo",
        "30 22 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
        "31 22 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  const std::string group = "sys/fs/cgroup/memory/job";
  write(group + "/memory.limit_in_bytes", std::to_string(400 * kMB));
  write(group + "/memory.usage_in_bytes", std::to_string(300 * kMB));
  write(group + "/memory.stat", "total_inactive_file " + std::to_string(50 * kMB) + "\n");
  write(group + "/step/memory.limit_in_bytes", "9223372036854771712");
  write(group + "/step/memory.usage_in_bytes", std::to_string(300 * kMB));
  EXPECT_EQ(memory_free(root_), 150 * kMB);
}

TEST_F(MemoryFreeTest, ThisMachineHasFreeMemory) { EXPECT_GT(memory_free(), 0U); }

}  // namespace
}  // namespace cppc::migration
