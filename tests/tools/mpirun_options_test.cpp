#include "mpirun_options.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "process.hpp"

namespace cppc::run {
namespace {

using Words = std::vector<std::string>;

Words words(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::vector<Context> parse(const std::string& line) {
  auto contexts = parse_command_line(words(line));
  EXPECT_TRUE(contexts.has_value()) << contexts.error();
  return contexts.value_or(std::vector<Context>{});
}

std::string parse_error(const std::string& line) {
  const auto contexts = parse_command_line(words(line));
  EXPECT_FALSE(contexts.has_value());
  return contexts ? "" : contexts.error();
}

TEST(MpirunOptions, TheProgramIsTheFirstWordThatIsNoOptionOrValue) {
  const auto contexts = parse("-n 4 --mca btl tcp,self --tag-output -x A -x B=1 ./app -n 7 --mca a b -- -x");
  ASSERT_EQ(contexts.size(), 1u);
  EXPECT_EQ(contexts[0].program, words("./app -n 7 --mca a b -- -x"));
  ASSERT_EQ(contexts[0].options.size(), 5u);
  EXPECT_EQ(contexts[0].options[1].name, "mca");
  EXPECT_EQ(contexts[0].options[1].values, words("btl tcp,self"));
}

TEST(MpirunOptions, OneDashOrTwoAndAllAliases) {
  for (const char* name : {"-n", "--n", "-np", "--np", "-c", "--c"}) {
    const auto contexts = parse(std::string(name) + " 3 app");
    ASSERT_NE(contexts[0].find("np"), nullptr) << name;
    EXPECT_EQ(contexts[0].find("np")->values[0], "3");
  }
  for (const char* name : {"-H", "-host", "--host"})
    EXPECT_NE(parse(std::string(name) + " a app")[0].find("host"), nullptr);
  for (const char* name : {"-machinefile", "--hostfile"}) {
    EXPECT_NE(parse(std::string(name) + " a app")[0].find("hostfile"), nullptr);
  }
  EXPECT_NE(parse("-N 2 app")[0].find("npernode"), nullptr);
}

TEST(MpirunOptions, ShortOptionsInOneWord) {
  const auto contexts = parse("-vqn 3 app arg");
  EXPECT_NE(contexts[0].find("verbose"), nullptr);
  EXPECT_NE(contexts[0].find("quiet"), nullptr);
  EXPECT_EQ(contexts[0].find("np")->values[0], "3");
  EXPECT_EQ(contexts[0].program, words("app arg"));
}

TEST(MpirunOptions, AColonSeparatesPrograms) {
  const auto contexts = parse("-n 1 a x : -n 2 --wdir /tmp b");
  ASSERT_EQ(contexts.size(), 2u);
  EXPECT_EQ(contexts[0].program, words("a x"));
  EXPECT_EQ(contexts[1].program, words("b"));
  EXPECT_EQ(contexts[1].find("wdir")->values[0], "/tmp");
  EXPECT_EQ(parse("a : ").size(), 1u);
}

TEST(MpirunOptions, TwoDashesEndTheOptions) { EXPECT_EQ(parse("-n 1 -- app -x")[0].program, words("app -x")); }

TEST(MpirunOptions, WrongLinesAreRefused) {
  EXPECT_EQ(parse_error("--frobnicate app"), "unknown option --frobnicate");
  EXPECT_EQ(parse_error("-n 4 --preload app"),
            "--preload is an option of cppc-run's own, and has to come before those of mpirun");
  EXPECT_EQ(parse_error("-np4 app"), "unknown option -p");
  EXPECT_EQ(parse_error("app : --bad b"), "unknown option --bad");
  EXPECT_EQ(parse_error("--mca btl"), "a value is missing after the option --mca");
  EXPECT_EQ(parse_error("-n 4"), "which program is to be run?");
  EXPECT_EQ(parse_error(""), "which program is to be run?");
}

TEST(MpirunOptions, WhatCannotWorkIsRefusedByName) {
  for (const char* option : {"--app f", "-s", "--preload-binary", "--rankfile f", "-rf f", "--enable-recovery", "--dvm",
                             "--hnp u", "--tv", "--nooversubscribe", "--continuous"}) {
    const auto contexts = parse(std::string(option) + " app");
    const auto supported = check_supported(contexts);
    ASSERT_FALSE(supported.has_value()) << option;
    EXPECT_NE(supported.error().find("cannot be used: "), std::string::npos);
  }
  EXPECT_TRUE(check_supported(parse("--tag-output --map-by node -n 2 app")).has_value());
}

TEST(MpirunOptions, McaValues) {
  const auto contexts = parse("--mca btl tcp --gmca osc pt2pt a : --mca pml ob1 b --mca routed radix");
  EXPECT_EQ(mca_value(contexts, "btl"), "tcp");
  EXPECT_EQ(mca_value(contexts, "osc"), "pt2pt");
  EXPECT_EQ(mca_value(contexts, "pml"), "ob1");
  EXPECT_EQ(mca_value(contexts, "routed"), std::nullopt);
}

// The table was made from mpirun's source; the mpirun that is installed has to agree.
TEST(MpirunOptions, AgreeWithTheInstalledMpirun) {
  const auto help =
      test::Process({"mpirun", "--help", "all"}, {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"})
          .wait();
  const std::regex line(R"(^ {0,3}((?:-{1,2}[A-Za-z-]+\|?)+)((?: <arg\d>)*))");
  std::istringstream lines(help.output);
  int seen = 0;
  for (std::string text; std::getline(lines, text);) {
    std::smatch match;
    if (!std::regex_search(text, match, line)) continue;
    const std::string values = match[2];
    const int count = static_cast<int>(std::count(values.begin(), values.end(), '<'));
    std::istringstream names(match[1]);
    for (std::string name; std::getline(names, name, '|');) {
      if (name == "-h" || name == "--help" || name == "-V" || name == "--version") continue;
      std::string command = name;
      for (int i = 0; i < count; ++i) command += " value";
      const auto contexts = parse_command_line(words(command + " app"));
      ASSERT_TRUE(contexts.has_value()) << name << ": " << contexts.error();
      EXPECT_EQ(contexts->front().program, words("app")) << name;
      ++seen;
    }
  }
  EXPECT_GT(seen, 90) << help.output << help.errors;
}

}  // namespace
}  // namespace cppc::run
