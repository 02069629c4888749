/// Checkpoints in a file system: when they count, which are kept, and what is said of those that are damaged.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <span>

#include "cppc/checkpoint_files.hpp"
#include "cppc/file_hash.hpp"
#include "image_head.hpp"
#include "small_image.hpp"
#include "temporary_directory.hpp"
#include "verify.hpp"

namespace cppc::checkpoint {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

class CheckpointsTest : public testing::Test {
 protected:
  /// What ranks, agents and cppc-run do together.
  Draft draft(const std::string& job) {
    const auto begun = begin(directory_, job);
    EXPECT_TRUE(begun) << begun.error();
    return *begun;
  }
  Manifest fill(const Draft& draft, int ranks) {
    Manifest manifest{draft.job, "./app", "login", "2026-01-31T12:00:00Z", {}};
    for (int rank = 0; rank < ranks; ++rank) {
      const std::string file = test::small_image(static_cast<std::uint64_t>(rank));
      write(draft.directory / image_file(rank), file);
      manifest.images.push_back({file.size(), FileHash::of(std::as_bytes(std::span(file))), "build id 0815"});
    }
    return manifest;
  }
  std::string make(const std::string& job = "app-1") {
    const Draft one = draft(job);
    const auto done = complete(one, fill(one, 2));
    EXPECT_TRUE(done) << done.error();
    return one.complete;
  }
  /// What is said of the newest one after `harm`.
  std::vector<std::string> damage_by(const std::function<void(const fs::path&)>& harm) {
    const fs::path made = make();
    EXPECT_TRUE(damage(*find(made)).empty());
    harm(made);
    const auto checkpoint = find(made);
    return checkpoint ? damage(*checkpoint) : std::vector{checkpoint.error()};
  }

  const test::TemporaryDirectory parent_;
  const fs::path directory_ = parent_.path() + "/checkpoints";
};

TEST_F(CheckpointsTest, ManifestsAreReadAsTheyWereWritten) {
  const Manifest manifest{
      "app-1", "./app", "login", "2026-01-31T12:00:00Z", {{17, 0xfedcba9876543210, "build id 0815"}, {0, 1, ""}}};
  const auto read = parse_manifest(text(manifest));
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(*read, manifest);
}

TEST_F(CheckpointsTest, WhatIsNoManifestIsRefusedWithAReason) {
  const std::string good = text({"app-1", "./app", "login", "now", {{17, 0xfedcba9876543210, "build id"}}});
  const auto without = [&](const std::string& part, const std::string& other) {
    std::string changed = good;
    const auto at = changed.find(part);
    EXPECT_NE(at, std::string::npos) << part;
    const auto read = parse_manifest(changed.replace(at, part.size(), other));
    return read ? "accepted" : read.error();
  };
  EXPECT_EQ(without("{", "["), "it is not a JSON object");
  EXPECT_EQ(without("\"version\": 2", "\"version\": 1"), "it is not of version 2");
  EXPECT_EQ(without("\"job\"", "\"jib\""), "it has no \"job\"");
  EXPECT_EQ(without("\"ranks\": 1", "\"ranks\": 2"), "it does not list as many images as there are ranks");
  EXPECT_EQ(without("rank0.h5", "../rank0.h5"), "the entry of rank 0 does not name rank0.h5");
  EXPECT_EQ(without("fedc", "fedx"), "the entry of rank 0 has no checksum");
  EXPECT_EQ(without("17", "-17"), "the entry of rank 0 has no number of bytes");
}

TEST_F(CheckpointsTest, CountWhenTheyAreComplete) {
  const Draft one = draft("app-1");
  EXPECT_EQ(contents(one.directory / job_file), "app-1");
  const Manifest manifest = fill(one, 2);
  EXPECT_FALSE(find(directory_)) << "not yet";
  ASSERT_TRUE(complete(one, manifest));
  const auto found = find(directory_);
  ASSERT_TRUE(found) << found.error();
  EXPECT_EQ(found->directory, directory_ / "1");
  Manifest expected = manifest;
  for (int rank = 0; rank < 2; ++rank)
    expected.images[static_cast<std::size_t>(rank)].head = head_hash(found->directory / image_file(rank));
  EXPECT_EQ(found->manifest, expected);
  EXPECT_NE(expected.images[0].head, expected.images[1].head);
  EXPECT_FALSE(fs::exists(one.directory));
}

TEST_F(CheckpointsTest, TheLastTwoOfAJobAreKept) {
  make("other-1");
  for (int i = 0; i < 4; ++i) make("app-1");
  std::vector<std::string> names;
  for (const auto& one : fs::directory_iterator(directory_)) names.push_back(one.path().filename());
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{"1", "4", "5"})) << "and those of another";
  EXPECT_EQ(find(directory_)->directory, directory_ / "5");
  EXPECT_EQ(find(directory_ / "4")->directory, directory_ / "4");
  const auto own = all_of(directory_, "app-1");
  ASSERT_TRUE(own) << own.error();
  ASSERT_EQ(own->size(), 2U);
  EXPECT_EQ(own->front().directory, directory_ / "5");
  EXPECT_FALSE(all_of(directory_ / "not there", "app-1")) << "which is not the same as none";
}

TEST_F(CheckpointsTest, OnesThatAreBegunAtATimeHaveDifferentNumbers) {
  const Draft one = draft("app-1"), other = draft("app-1");
  EXPECT_NE(one.complete, other.complete);
  discard(one);
  EXPECT_FALSE(fs::exists(one.directory));
  discard_drafts(directory_, "app-2");
  EXPECT_TRUE(fs::exists(other.directory));
  discard_drafts(directory_, "app-1");
  EXPECT_FALSE(fs::exists(other.directory));
}

TEST_F(CheckpointsTest, EachKindOfDamageIsNamed) {
  const auto said = [](const std::vector<std::string>& sentences) { return testing::PrintToString(sentences); };
  const auto expect = [&](const std::string& what, const std::function<void(const fs::path&)>& harm) {
    const auto sentences = damage_by(harm);
    EXPECT_EQ(sentences.size(), 1U) << said(sentences);
    EXPECT_NE(said(sentences).find(what), std::string::npos) << said(sentences);
  };
  expect("rank1.h5 is not there", [](const fs::path& made) { fs::remove(made / "rank1.h5"); });
  expect("rank0.h5 has 100 bytes, and the manifest says",
         [](const fs::path& made) { fs::resize_file(made / "rank0.h5", 100); });
  expect("rank0.h5 has another checksum", [](const fs::path& made) {
    std::string file = contents(made / "rank0.h5");
    file[file.size() / 2] ^= 1;
    write(made / "rank0.h5", file);
  });
  expect("rank1.h5 is not the image of a rank", [](const fs::path& made) {
    auto manifest = find(made)->manifest;
    const std::string other(manifest.images[1].bytes, 'x');
    write(made / "rank1.h5", other);
    manifest.images[1].xxh3 = FileHash::of(std::as_bytes(std::span(other)));
    manifest.images[1].head = 0;
    write(made / manifest_file, text(manifest));
  });
  expect("manifest.json is damaged: it is not a JSON object",
         [](const fs::path& made) { fs::resize_file(made / manifest_file, 50); });
  expect("there is no checkpoint", [](const fs::path& made) { fs::remove(made / manifest_file); });
}

/// Of the same size; before a restart no more than heads is read.
TEST_F(CheckpointsTest, AnImageThatIsAnotherIsNamed) {
  const fs::path made = make();
  EXPECT_EQ(missing_parts(*find(made)), std::vector<std::string>());
  fs::copy_file(made / "rank0.h5", made / "rank1.h5", fs::copy_options::overwrite_existing);
  EXPECT_EQ(missing_parts(*find(made)),
            std::vector{(made / "rank1.h5").string() + " is not the image that the manifest lists"});
}

TEST_F(CheckpointsTest, ADirectoryThatCannotBeMadeIsNamed) {
  write(directory_, "a file");
  const auto begun = begin(directory_, "app-1");
  ASSERT_FALSE(begun);
  EXPECT_NE(begun.error().find(directory_.string()), std::string::npos) << begun.error();
}

}  // namespace
}  // namespace cppc::checkpoint
