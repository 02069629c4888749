/// Which nodes see a file, as a remote shell tells.
#include "seen_files.hpp"

#include <gtest/gtest.h>

#include "temporary_directory.hpp"

namespace cppc::run {
namespace {

/// This machine is called "here"; others are seen by shells of this machine, with another directory in place of its
/// own, or by none.
class SeenFilesTest : public testing::Test {
 protected:
  const WayTo way_to_ = [this](const AllocatedNode& node) -> std::vector<std::string> {
    if (node.name == "here") return {};
    if (node.name == "silent") return {"/bin/sh", "-c", "exit 255"};
    if (node.name == "shares") return {"/bin/sh", "-c"};
    return {others_shell_};
  };
  const test::TemporaryDirectory own_, other_;
  // written before any command is started: a file that is open for writing, in a child too, cannot be run
  const std::string others_shell_ =
      other_.script("shell", "exec /bin/sh -c \"$(echo \"$1\" | sed s," + own_.path() + "," + other_.path() + ",)\"");
  const std::string file_ = own_.write("a 'file'", "contents");
};

TEST_F(SeenFilesTest, OneOtherNodeThatAnswersIsAsked) {
  EXPECT_EQ(seen_by_another(way_to_, {{"here", 1}, {"silent", 1}, {"shares", 1}, {"other", 1}}, file_), true);
  EXPECT_EQ(seen_by_another(way_to_, {{"here", 1}, {"silent", 1}, {"other", 1}, {"shares", 1}}, file_), false);
  EXPECT_EQ(seen_by_another(way_to_, {{"here", 1}, {"silent", 1}}, file_), std::nullopt);
}

TEST_F(SeenFilesTest, AllAreAskedWhetherTheyHaveTheSame) {
  const std::vector<AllocatedNode> nodes{{"here", 1}, {"silent", 1}, {"shares", 1}, {"other", 1}};
  EXPECT_EQ(without_same(way_to_, nodes, file_), std::vector<std::string>{"other"}) << "there is none";
  (void)other_.write("a 'file'", "context");
  EXPECT_EQ(without_same(way_to_, nodes, file_), std::vector<std::string>{"other"}) << "it is another one";
  (void)other_.write("a 'file'", "contents");
  EXPECT_TRUE(without_same(way_to_, nodes, file_).empty());
}

}  // namespace
}  // namespace cppc::run
