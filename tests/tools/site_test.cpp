/// What a site says about who may move ranks, and what owners of jobs may say to that.
#include "site.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "temporary_directory.hpp"

namespace cppc::run {
namespace {

using namespace std::chrono_literals;

class SiteTest : public testing::Test {
 protected:
  Result<Site> read(const std::string& text) {
    std::ofstream(file_) << text;
    std::filesystem::permissions(file_, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    return read_site(file_);
  }
  const test::TemporaryDirectory directory_;
  const std::filesystem::path file_ = std::filesystem::path(directory_.path()) / "site.toml";
};

TEST_F(SiteTest, WithoutAFileOnlyOwnersAndRootMoveRanks) {
  const auto site = read_site(file_);
  ASSERT_TRUE(site.has_value()) << site.error();
  EXPECT_TRUE(site->operators.empty());
  EXPECT_FALSE(site->owners_may_refuse);
  EXPECT_FALSE(site->owners_may_set_window);
}

TEST_F(SiteTest, NamesOperatorsAndWhatOwnersMay) {
  const auto site = read("[operators]\nusers = [\"root\", \"daemon\"]\n[owners]\nmay_refuse = true\n");
  ASSERT_TRUE(site.has_value()) << site.error();
  EXPECT_EQ(site->operators, (std::set<uid_t>{0, 1}));
  EXPECT_TRUE(site->owners_may_refuse);
  EXPECT_FALSE(site->owners_may_set_window);
}

TEST_F(SiteTest, WhatIsNotUnderstoodIsRefusedByName) {
  const auto refused = [&](const std::string& text, const std::string& why) {
    const auto site = read(text);
    ASSERT_FALSE(site.has_value()) << text;
    EXPECT_NE(site.error().find(why), std::string::npos) << site.error();
    EXPECT_NE(site.error().find(file_.string()), std::string::npos) << site.error();
  };
  refused("[operators]\nusers = [\"nobody-of-that-name\"]\n", "there is no user nobody-of-that-name");
  refused("[operators]\nusers = \"root\"\n", "a list of users");
  refused("[operators]\ngroups = []\n", "there is no operators.groups");
  refused("[owners]\nmay_refuse = 1\n", "true or false");
  refused("[owners]\nmay_fly = true\n", "there is no owners.may_fly");
  refused("operators = 1\n", "there is no operators");
  refused("[operators\n", "");
}

TEST_F(SiteTest, AFileThatOthersMayWriteIsNotTheSites) {
  ASSERT_TRUE(read("[owners]\nmay_refuse = true\n").has_value());
  std::filesystem::permissions(file_, std::filesystem::perms::group_write, std::filesystem::perm_options::add);
  EXPECT_FALSE(read_site(file_).has_value());
}

TEST(SiteMovesTest, OwnersSayWhatTheSiteLetsThemSay) {
  const Site strict, free{.owners_may_refuse = true, .owners_may_set_window = true};
  EXPECT_FALSE(SiteMoves::parse("never", strict).has_value());
  EXPECT_FALSE(SiteMoves::parse("18:00-06:00", strict).has_value());
  EXPECT_TRUE(SiteMoves::parse("never", free).has_value());
  for (const char* wrong : {"", "18:00", "24:00-06:00", "18:60-06:00", "18:00-18:00", "6:00-18:00", "18:00-06:00 "})
    EXPECT_FALSE(SiteMoves::parse(wrong, free).has_value()) << wrong;
}

TEST(SiteMovesTest, AWindowMayGoOverMidnight) {
  const Site free{.owners_may_refuse = true, .owners_may_set_window = true};
  EXPECT_EQ(SiteMoves().refusal(12h), "");
  EXPECT_NE(SiteMoves::parse("never", free)->refusal(12h), "");
  const auto night = SiteMoves::parse("18:00-06:00", free), day = SiteMoves::parse("06:00-18:00", free);
  ASSERT_TRUE(night && day);
  for (const auto& [time, is_night] :
       {std::pair{0min, true}, {359min, true}, {360min, false}, {1079min, false}, {1080min, true}}) {
    EXPECT_EQ(night->refusal(time).empty(), is_night) << time.count();
    EXPECT_EQ(day->refusal(time).empty(), !is_night) << time.count();
  }
  EXPECT_EQ(night->refusal(12h), "the job's owner lets others move its ranks from 18:00 to 06:00 only");
}

}  // namespace
}  // namespace cppc::run
