#include "program_check.hpp"

#include <gtest/gtest.h>

#include "temporary_directory.hpp"

namespace cppc::run {
namespace {

Context context(std::vector<std::string> program, std::vector<Option> options = {}) {
  return {std::move(options), std::move(program)};
}

bool accepted(std::vector<std::string> program, std::vector<Option> options = {}) {
  return check_program(context(std::move(program), std::move(options)), false).has_value();
}

/// With libcppc preloaded; empty: it is accepted.
std::string preload_refusal(std::vector<std::string> program) {
  const auto checked = check_program(context(std::move(program)), true);
  return checked ? "" : checked.error();
}

TEST(ProgramCheck, AProgramWithLibcppcIsAccepted) { EXPECT_TRUE(accepted({LINKED_PROGRAM, "argument"})); }

TEST(ProgramCheck, AlsoWhenOneOfItsLibrariesLoadsIt) { EXPECT_TRUE(accepted({INDIRECTLY_LINKED_PROGRAM})); }

TEST(ProgramCheck, AnotherOneIsRefusedByName) {
  const auto checked = check_program(context({PLAIN_PROGRAM}), false);
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
  EXPECT_FALSE(accepted({"sh", "-c", "hostname"}));
}

TEST(ProgramCheck, LibcppcCanBePreloadedIntoProgramsOfMpi) {
  EXPECT_FALSE(accepted({MPI_PROGRAM}));
  EXPECT_EQ(preload_refusal({MPI_PROGRAM}), "");
  EXPECT_EQ(preload_refusal({"nice", MPI_PROGRAM}), "");
  EXPECT_EQ(preload_refusal({"env", "A=1", MPI_PROGRAM}), "");
  EXPECT_EQ(preload_refusal({LINKED_PROGRAM}), "");
  EXPECT_EQ(preload_refusal({UNUSED_BINDINGS_PROGRAM}), "");
  EXPECT_EQ(preload_refusal({"sh", "-c", "exec ./program"}), "");  // a shell hands libcppc on
}

TEST(ProgramCheck, WhyItCannotBePreloaded) {
  EXPECT_NE(preload_refusal({PLAIN_PROGRAM}).find(PLAIN_PROGRAM " is not linked with Open MPI (libmpi.so.40)"),
            std::string::npos);
  EXPECT_NE(preload_refusal({"nice", PLAIN_PROGRAM}).find("nice is not linked with Open MPI"), std::string::npos);
  EXPECT_NE(preload_refusal({STATIC_PROGRAM}).find(STATIC_PROGRAM " is linked statically"), std::string::npos);
  EXPECT_NE(preload_refusal({"env", "LD_PRELOAD=x.so", MPI_PROGRAM}).find("LD_PRELOAD=x.so would keep libcppc"),
            std::string::npos);
  EXPECT_NE(preload_refusal({SANITIZED_PROGRAM}).find(SANITIZED_PROGRAM " is linked with a sanitizer"),
            std::string::npos);
  EXPECT_NE(preload_refusal({BINDINGS_PROGRAM}).find(BINDINGS_PROGRAM " uses MPI's old C++ bindings"),
            std::string::npos);
  EXPECT_NE(preload_refusal({"nice", SANITIZED_PROGRAM}).find(SANITIZED_PROGRAM " is linked with a sanitizer"),
            std::string::npos);
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
  std::filesystem::create_symlink("loop", directory.path() + "/loop");
  const std::string path = directory.path() + "/loop:" + directory.path();
  EXPECT_EQ(find_program(context({"x"}, {{"path", {path}}}), "my-script"), script) << "behind what cannot be seen";
  EXPECT_EQ(find_program(context({"x"}, {{"wdir", {directory.path()}}}), "./my-script"),
            directory.path() + "/./my-script");
  EXPECT_EQ(find_program(context({"x"}), "sh").substr(0, 1), "/");
}

}  // namespace
}  // namespace cppc::run
