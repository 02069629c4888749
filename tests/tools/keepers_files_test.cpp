/// Images between the keeper of a node and files that only cppc-run sees. The node is this machine, where its shell
/// finds another directory in place of cppc-run's.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>

#include "cppc/checkpoint_files.hpp"
#include "cppc/file_hash.hpp"
#include "cppc/keeper.hpp"
#include "keepers.hpp"
#include "temporary_directory.hpp"

namespace cppc::run {
namespace {

using namespace std::chrono_literals;

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class KeepersFilesTest : public testing::Test {
 protected:
  KeepersFilesTest() { std::signal(SIGPIPE, SIG_IGN); }  // as cppc-run does

  /// What ranks 0 and 1 have written.
  checkpoint::Manifest write(std::uint64_t set) {
    checkpoint::Manifest manifest{job_, "./app", "login", "2026-01-31T12:00:00Z", {}};
    for (int rank : {0, 1}) {
      const std::string& image = images_[static_cast<std::size_t>(rank)];
      const auto file = keeper::make(job_, set, rank, image.size());
      EXPECT_TRUE(file) << file.error();
      EXPECT_EQ(::write(file->get(), image.data(), image.size()), static_cast<ssize_t>(image.size()));
      manifest.images.push_back({image.size(), FileHash::of(std::as_bytes(std::span(image))), "build id"});
    }
    return manifest;
  }
  std::string file(int rank) const { return directory_.path() + "/" + checkpoint::image_file(rank); }

  const std::string job_ = "keepers-files-" + std::to_string(getpid());
  const std::vector<std::string> images_{std::string(1'000'000, 'a'), "b"};
  const std::vector<std::string> nodes_{"node0", "node0"};  // by rank
  const test::TemporaryDirectory directory_, shells_;
  const std::string does_not_see_ =
      shells_.script("shell", "exec /bin/sh -c \"$(echo \"$1\" | sed s," + directory_.path() + ",/nowhere,)\"");
  std::vector<std::string> shell_{does_not_see_};
  Keepers keepers_{{{job_,
                     "a key",
                     CPPC_KEEPER_PROGRAM,
                     [this](const AllocatedNode&) { return shell_; },
                     5s,
                     {{"CPPC_LOG", "off"}}}},
                   {{"node0", 2}}};
};

TEST_F(KeepersFilesTest, ImagesAreGatheredInFiles) {
  const auto set = keepers_.begin();
  ASSERT_TRUE(set) << set.error();
  const auto manifest = write(*set);
  const auto gathered = keepers_.gather(*set, manifest, nodes_, directory_.path());
  ASSERT_TRUE(gathered) << gathered.error();
  for (const int rank : {0, 1}) EXPECT_EQ(contents(file(rank)), images_[static_cast<std::size_t>(rank)]);
}

/// As on a node that comes to the job while a checkpoint waits.
TEST_F(KeepersFilesTest, AKeeperThatComesLaterTakesImagesOfASetThatWasBegunBefore) {
  const auto set = keepers_.begin();
  ASSERT_TRUE(set) << set.error();
  keepers_.lose({"node0"});
  keepers_.prepare_start(0, {{"node0", 2}});
  const auto completed = keepers_.complete(*set, write(*set), nodes_);
  EXPECT_TRUE(completed) << completed.error();
}

TEST_F(KeepersFilesTest, WhatCannotBeGatheredIsNamed) {
  auto set = keepers_.begin();
  ASSERT_TRUE(set) << set.error();
  auto manifest = write(*set);
  (void)directory_.write("rank1.h5", "of somebody else");
  const auto unwritten = keepers_.gather(*set, manifest, nodes_, directory_.path());
  ASSERT_FALSE(unwritten);
  EXPECT_EQ(unwritten.error(), "the image of rank 1 cannot be gathered: cannot write " + file(1) + ": File exists");
  set = keepers_.begin();
  manifest = write(*set);
  manifest.images[1].xxh3 ^= 1;
  const auto other = keepers_.gather(*set, manifest, nodes_, directory_.path());
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().find("image of rank 1 is not good"), std::string::npos) << other.error();
  keepers_.lose({"node0"});
  const auto lost = keepers_.gather(*set, manifest, nodes_, directory_.path());
  ASSERT_FALSE(lost);
  EXPECT_NE(lost.error().find("a keeper has ended, on node0"), std::string::npos) << lost.error();
}

TEST_F(KeepersFilesTest, ImagesAreOfferedWhereNodesDoNotSeeThem) {
  checkpoint::Checkpoint checkpoint{directory_.path(), {job_, "./app", "login", "2026-01-31T12:00:00Z", {}}};
  for (const std::string& image : images_) {
    (void)directory_.write(checkpoint::image_file(static_cast<int>(checkpoint.manifest.images.size())), image);
    checkpoint.manifest.images.push_back({image.size(), FileHash::of(std::as_bytes(std::span(image))), "build id"});
  }
  (void)directory_.write(checkpoint::manifest_file, text(checkpoint.manifest));
  shell_ = {"/bin/sh", "-c"};
  EXPECT_EQ(keepers_.offer(checkpoint), 0) << "the node sees it";
  EXPECT_FALSE(keepers_.is_unseen(file(0)));
  shell_ = {does_not_see_};
  EXPECT_TRUE(keepers_.is_unseen(file(0)));
  const auto set = keepers_.offer(checkpoint);
  ASSERT_TRUE(set) << set.error();
  EXPECT_NE(*set, 0);
  for (const int rank : {0, 1}) {
    const auto found = keeper::find(job_, *set, rank);
    ASSERT_TRUE(found) << found.error();
    EXPECT_EQ(contents("/proc/self/fd/" + std::to_string(found->get())), images_[static_cast<std::size_t>(rank)]);
  }
  keepers_.discard(*set);
  EXPECT_FALSE(keeper::find(job_, *set, 0));
}

}  // namespace
}  // namespace cppc::run
