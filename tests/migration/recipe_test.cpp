#include "agent/recipe.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "cppc/program_id.hpp"

namespace cppc::migration {
namespace {

TEST(RecipeTest, DescribesARunningProcess) {
  const auto recipe = Recipe::of(getpid());
  ASSERT_TRUE(recipe);
  EXPECT_EQ(recipe->program, std::filesystem::read_symlink("/proc/self/exe").string());
  EXPECT_EQ(recipe->directory, std::filesystem::current_path().string());
  EXPECT_FALSE(recipe->arguments.empty());
}

TEST(RecipeTest, KnowsAProgramByItsBuildId) {
  const auto own = program_id("/proc/self/exe");
  ASSERT_TRUE(own);
  EXPECT_EQ(own->substr(0, 9), "build id ");
  EXPECT_EQ(Recipe::of(getpid())->identity, *own);
  EXPECT_NE(program_id("/bin/sh"), own);
  EXPECT_FALSE(program_id("/nowhere"));
}

TEST(RecipeTest, KnowsAProgramWithoutBuildIdByItsContents) {
  const auto text = program_id("/etc/passwd");
  ASSERT_TRUE(text);
  EXPECT_EQ(text->substr(0, 5), "hash ");
  EXPECT_EQ(program_id("/etc/passwd"), text);
  EXPECT_NE(program_id("/etc/group"), text);
}

TEST(RecipeTest, MissingProcessHasNoRecipe) { EXPECT_FALSE(Recipe::of(0)); }

TEST(RecipeTest, SurvivesItsEncoding) {
  const Recipe recipe{"/bin/app", "build id 12", "/home", {"app", "", "a b", "-x"}, {"A=1", "B=", "C=x y"}};
  const auto decoded = Recipe::decode(recipe.encode());
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->program, recipe.program);
  EXPECT_EQ(decoded->identity, recipe.identity);
  EXPECT_EQ(decoded->directory, recipe.directory);
  EXPECT_EQ(decoded->arguments, recipe.arguments);
  EXPECT_EQ(decoded->environment, recipe.environment);
}

TEST(RecipeTest, RefusesWhatItHasNotEncoded) {
  const Recipe recipe{"/bin/app", "build id 12", "/home", {"app", "-x"}, {"A=1"}};
  const auto good = recipe.encode();
  EXPECT_FALSE(Recipe::decode({}));
  auto cut = good;
  cut.pop_back();
  EXPECT_FALSE(Recipe::decode(cut));
  for (const std::string number : {"3x", "-1", "99", "99999999999999999999", ""}) {
    std::string text("p\0i\0d\0", 6);
    text += number;
    text.push_back('\0');
    text += std::string("a\0", 2);
    EXPECT_FALSE(Recipe::decode(std::as_bytes(std::span(text.data(), text.size())))) << number;
  }
}

TEST(RecipeTest, TakesTheLaunchersSettingsFromTheNewProcess) {
  const Recipe recipe{
      "p", "i", "d", {}, {"HOME=/old", "OMPI_COMM_WORLD_RANK=3", "PMIX_RANK=3", "CPPC_REPLACEMENT=old", "MINE=1"}};
  const std::array<const char*, 3> own{"HOME=/new", "OMPI_COMM_WORLD_RANK=0", "OTHER=2"};
  const auto result = recipe.environment_for(own, "CPPC_REPLACEMENT=x");
  EXPECT_EQ(result, (std::vector<std::string>{"HOME=/old", "MINE=1", "OMPI_COMM_WORLD_RANK=0", "CPPC_REPLACEMENT=x"}));
}

}  // namespace
}  // namespace cppc::migration
