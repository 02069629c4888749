/// A program that is stopped at a safe point and goes on in another process ends as if it had not been.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "process.hpp"

namespace cppc {
namespace {

using test::Finished;

/// A directory of its own, gone with the test.
class Directory {
 public:
  Directory() {
    std::string name = (std::filesystem::temp_directory_path() / "cppc-state-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::filesystem::filesystem_error("mkdtemp", {});
    path_ = name;
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  ~Directory() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string file(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

Finished run_program(const std::string& name, const std::string& variant, std::vector<std::string> more = {}) {
  std::vector<std::string> command{STATE_PROGRAM, name, variant};
  command.insert(command.end(), more.begin(), more.end());
  return test::run(command);
}

void expect_message(const Finished& process, const std::string& message) {
  EXPECT_NE(process.errors.find(message), std::string::npos) << "wanted: " << message << "\ngot: " << process.errors;
}

// ---- What can be carried over ----

struct Case {
  std::string program;
  int safe_points;
};

class Carried : public testing::TestWithParam<Case> {
 protected:
  Directory directory_;
};

TEST_P(Carried, FromEverySafePoint) {
  const auto& [program, safe_points] = GetParam();
  const Finished undisturbed = run_program(program, "");
  ASSERT_EQ(undisturbed.status, 0) << undisturbed.errors;
  ASSERT_NE(undisturbed.output, "");
  for (int n = 1; n <= safe_points; ++n) {
    const std::string image = directory_.file(std::to_string(n));
    const Finished saved = run_program(program, "", {"--save", std::to_string(n), image});
    expect_message(saved, "captured: 0");
    EXPECT_EQ(saved.output, undisturbed.output) << "saving changes nothing";
    const Finished resumed = run_program(program, "", {"--load", image});
    EXPECT_EQ(resumed.status, 0) << resumed.errors;
    EXPECT_EQ(resumed.output, undisturbed.output) << "safe point " << n;
  }
}

TEST_P(Carried, FromProcessToProcess) {
  const auto& [program, safe_points] = GetParam();
  const Finished undisturbed = run_program(program, "");
  std::string image = directory_.file("1");
  run_program(program, "", {"--save", "1", image});
  for (int n = 2; n <= safe_points; ++n) {
    const std::string next = directory_.file(std::to_string(n));
    const Finished moved = run_program(program, "", {"--load", image, "--save", std::to_string(n), next});
    expect_message(moved, "captured: 0");
    EXPECT_EQ(moved.output, undisturbed.output);
    image = next;
  }
  EXPECT_EQ(run_program(program, "", {"--load", image}).output, undisturbed.output);
}

INSTANTIATE_TEST_SUITE_P(Programs, Carried,
                         testing::Values(Case{"grid", 8}, Case{"lists", 8}, Case{"recursion", 10}, Case{"functions", 8},
                                         Case{"blocks", 8}, Case{"constants", 4}, Case{"outside", 5},
                                         Case{"places", 12}, Case{"required", 6}),
                         [](const auto& info) { return info.param.program; });

TEST(State, LeavesDeadContentsBehind) {
  const Directory directory;
  run_program("blocks", "", {"--save", "3", directory.file("image")});
  const auto bytes = std::filesystem::file_size(directory.file("image"));
  EXPECT_GT(bytes, 400000 * sizeof(double)) << "the large array";
  EXPECT_LT(bytes, 2 * 400000 * sizeof(double)) << "without the scratch array";
}

// ---- What cannot ----

struct Refusal {
  std::string variant;
  std::string message;
};

class Refused : public testing::TestWithParam<Refusal> {};

TEST_P(Refused, ByNameWhileTheProgramGoesOn) {
  const Directory directory;
  const Finished process = run_program("refused", GetParam().variant, {"--save", "2", directory.file("image")});
  expect_message(process, "captured: 200");
  expect_message(process, GetParam().message);
  EXPECT_EQ(process.status, 0);
  EXPECT_EQ(process.output, "3\n");
  EXPECT_FALSE(std::filesystem::exists(directory.file("image")));
}

INSTANTIATE_TEST_SUITE_P(
    Programs, Refused,
    testing::Values(
        Refusal{"stray", "heap/1[2].pointer points to 0x"},
        Refusal{"undeclared", "global/pairs[1].pointer points to 0x"},
        Refusal{"unknown", "this block of 64 bytes, allocated without a known type, seems to hold a pointer to heap/1"},
        Refusal{"hidden", "heap/3[3] seems to hold a pointer to heap/1[2].pointer in long, which is none"},
        Refusal{"before", ", before a block of the heap: set it to the block's beginning"},
        Refusal{"number", "state_program) is open, which cannot be carried over: open the file by fopen()"},
        Refusal{"type", "global/pairs cannot be carried over: member alias of type overlapping overlaps another"},
        Refusal{"twice", "global/numbers is declared twice"},
        Refusal{"overlap", "global/half and global/numbers share memory"},
        Refusal{"broken", "heap/4 has 40 bytes, which is no whole number of elements of type pair (16 bytes)"},
        Refusal{"place", "run_refused() cannot be resumed: it names no place"}),
    [](const auto& info) { return info.param.variant; });

// ---- Images of another program ----

class Mismatch : public testing::TestWithParam<Refusal> {};

TEST_P(Mismatch, EndsTheReplacement) {
  const Directory directory;
  const std::string image = directory.file("image");
  expect_message(run_program("other", "", {"--save", "2", image}), "captured: 0");
  const Finished process = run_program("other", GetParam().variant, {"--load", image});
  EXPECT_EQ(process.status, 3) << "the way the extension ends it";
  EXPECT_EQ(process.output, "");
  expect_message(process, GetParam().message);
  expect_message(process, "failed: 202");
}

INSTANTIATE_TEST_SUITE_P(
    Programs, Mismatch,
    testing::Values(Refusal{"type", "global/numbers has 4 x long of 8 bytes here and 4 x double of 8 bytes"},
                    Refusal{"count", "global/numbers has 3 x double of 8 bytes here and 4 x double of 8 bytes"},
                    Refusal{"name", "global/numbers is in the image and not"},
                    Refusal{"more", "global/extra is not in the image"},
                    Refusal{"function", "innermost() is entered where the image has place 1 of inner()"},
                    Refusal{"places", "inner() is entered where the image has place 1 of inner()"},
                    Refusal{"member", "frame/1/inner/(shadow) has 1 x other_shadow of 32 bytes here"},
                    Refusal{"local", "frame/1/inner/lokal is frame/1/inner/local in the image"},
                    Refusal{"locals", "inner() has another number of variables"},
                    Refusal{"return", "inner() returned before it reached its safe point"},
                    Refusal{"length", "frame/1/inner/local has 2 x int of 4 bytes here and 1 x int of 4 bytes"},
                    Refusal{"no_shadow", "inner() has another shadow"},
                    Refusal{"place", "cppc_stop() was called at another place than that of the image"},
                    Refusal{"call", "inner() goes on at another place than that of the image"},
                    Refusal{"short", "run_other() goes on at another place than that of the image"},
                    Refusal{"unresumed", "inner() is not the next function of the image"},
                    Refusal{"end", "the program ended before it reached the safe point of the image"},
                    Refusal{"early", "safe point 3 was reached before the one of the image"}),
    [](const auto& info) { return info.param.variant; });

TEST(State, StateWithAnotherConstantIsRefused) {
  const Directory directory;
  const std::string image = directory.file("image");
  expect_message(run_program("constants", "", {"--save", "2", image}), "captured: 0");
  const Finished process = run_program("constants", "changed", {"--load", image});
  EXPECT_EQ(process.status, 3);
  expect_message(process, "global/green is constant and has another value here");
}

TEST(State, StateWithAnUnknownCallIsRefused) {
  const Directory directory;
  const std::string image = directory.file("image");
  expect_message(run_program("required", "", {"--save", "4", image}), "captured: 0");
  const Finished missing = run_program("required", "missing", {"--load", image});
  EXPECT_EQ(missing.status, 3);
  expect_message(missing, "the required call add() is not in this program");
  const Finished other = run_program("required", "other", {"--load", image});
  EXPECT_EQ(other.status, 3);
  expect_message(other, "the required call add() takes other arguments here");
}

TEST(State, TruncatedImageIsRefused) {
  const Directory directory;
  const std::string image = directory.file("image");
  run_program("lists", "", {"--save", "3", image});
  const auto size = std::filesystem::file_size(image);
  ASSERT_GT(size, 1000U);
  for (int twentieths = 19; twentieths >= 0; --twentieths) {
    std::filesystem::resize_file(image, size * twentieths / 20);
    const Finished process = run_program("lists", "", {"--load", image});
    EXPECT_EQ(process.status, 3) << twentieths << process.errors;
    EXPECT_EQ(process.output, "");
  }
}

}  // namespace
}  // namespace cppc
