#include "program_check.hpp"

#include <gtest/gtest.h>

#include "temporary_directory.hpp"

namespace cppc::run {
namespace {

Context context(std::vector<std::string> program, std::vector<Option> options = {}) {
  return {std::move(options), std::move(program)};
}

bool accepted(std::vector<std::string> program, std::vector<Option> options = {}) {
  return check_program(context(std::move(program), std::move(options))).has_value();
}

TEST(ProgramCheck, AProgramWithLibcppcIsAccepted) { EXPECT_TRUE(accepted({LINKED_PROGRAM, "argument"})); }

TEST(ProgramCheck, AlsoWhenOneOfItsLibrariesLoadsIt) { EXPECT_TRUE(accepted({INDIRECTLY_LINKED_PROGRAM})); }

TEST(ProgramCheck, AnotherOneIsRefusedByName) {
  const auto checked = check_program(context({PLAIN_PROGRAM}));
  ASSERT_FALSE(checked.has_value());
  EXPECT_EQ(checked.error().substr(0, std::string(PLAIN_PROGRAM).size() + 28),
            PLAIN_PROGRAM " is not linked with libcppc,");
  EXPECT_FALSE(accepted({STATIC_PROGRAM}));
  EXPECT_FALSE(accepted({"true"}));
}

TEST(ProgramCheck, AProgramThatStartsOneWithLibcppcIsAccepted) {
  EXPECT_TRUE(accepted({"nice", "-n", "1", LINKED_PROGRAM}));
  EXPECT_TRUE(accepted({"env", "A=1", LINKED_PROGRAM, "argument"}));
  EXPECT_FALSE(accepted({"nice", PLAIN_PROGRAM}));
}

TEST(ProgramCheck, WhatCannotBeLookedAtIsAccepted) {
  const test::TemporaryDirectory directory;
  EXPECT_TRUE(accepted({directory.script("script", "exit 0")}));
  EXPECT_TRUE(accepted({"/nonexistent/program"}));
  EXPECT_TRUE(accepted({directory.write("not-executable", "")}));
}

TEST(ProgramCheck, ProgramsAreFoundAsMpirunFindsThem) {
  const test::TemporaryDirectory directory;
  const std::string script = directory.script("my-script", "exit 0");
  EXPECT_EQ(find_program(context({"x"}), script), script);
  EXPECT_EQ(find_program(context({"x"}), "my-script"), "");
  EXPECT_EQ(find_program(context({"x"}, {{"path", {directory.path()}}}), "my-script"), script);
  EXPECT_EQ(find_program(context({"x"}, {{"wdir", {directory.path()}}}), "./my-script"),
            directory.path() + "/./my-script");
  EXPECT_EQ(find_program(context({"x"}), "sh").substr(0, 1), "/");
}

}  // namespace
}  // namespace cppc::run
