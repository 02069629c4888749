/// Open files and random numbers of a program, taken over by another process: here, by the same one.
#include <gtest/gtest.h>
#include <mpi.h>
#include <stdio_ext.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "c_library/random.hpp"
#include "c_library/streams.hpp"
#include "handles.hpp"
#include "test_world.hpp"

namespace cppc::test {

const int moved_rank = -1;

namespace {

class Files : public testing::Test {
 protected:
  Files() {
    std::string name = (std::filesystem::temp_directory_path() / "cppc-files-XXXXXX").string();
    directory_ = mkdtemp(name.data());
  }
  ~Files() override { std::filesystem::remove_all(directory_); }

  [[nodiscard]] std::string path(const char* name) const { return directory_ / name; }

  std::string write(const char* name, const std::string& content) const {
    std::ofstream(path(name)) << content;
    return path(name);
  }

  [[nodiscard]] std::string content(const char* name) const {
    std::ifstream file(path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::filesystem::path directory_;
};

cppc_status save(ByteWriter& writer) { return c_library::write_streams(writer); }

cppc_status load(const ByteWriter& writer) {
  ByteReader reader(writer.bytes());
  const auto recipes = c_library::read_streams(reader);
  EXPECT_TRUE(reader.at_end());
  return c_library::reopen(recipes);
}

/// The stream that goes on for `stream` in another process; the one of this process is closed.
FILE* taken_over(FILE* stream) {
  ByteWriter writer;
  const auto stored = handles::encode(CPPC_FILE, &stream);
  EXPECT_TRUE(stored) << stored.error();
  EXPECT_EQ(save(writer), CPPC_OK);
  EXPECT_EQ(load(writer), CPPC_OK);
  FILE* taken = nullptr;
  EXPECT_TRUE(handles::decode(CPPC_FILE, stored.value(), &taken));
  EXPECT_NE(taken, stream);
  cppc_fclose(stream);
  return taken;
}

std::string read_line(FILE* stream) {
  std::array<char, 100> line{};
  return std::fgets(line.data(), line.size(), stream) != nullptr ? line.data() : "";
}

TEST_F(Files, AreReadOnFromWhereTheyWere) {
  FILE* stream = cppc_fopen(write("input", "one\ntwo\nthree\n").c_str(), "r");
  EXPECT_EQ(read_line(stream), "one\n");
  stream = taken_over(stream);
  EXPECT_EQ(read_line(stream), "two\n");
  stream = taken_over(stream);
  EXPECT_EQ(read_line(stream), "three\n");
  EXPECT_EQ(read_line(stream), "");
  EXPECT_TRUE(std::feof(stream));
  stream = taken_over(stream);
  EXPECT_TRUE(std::feof(stream));
  EXPECT_EQ(std::fputs("never", stream), EOF);
  cppc_fclose(stream);
}

TEST_F(Files, AreNeverTruncated) {
  for (const char* mode : {"w", "w+", "wx", "wbe"}) {
    std::filesystem::remove(path("output"));
    FILE* stream = cppc_fopen(path("output").c_str(), mode);
    std::fputs("first, ", stream);
    stream = taken_over(stream);
    EXPECT_EQ(content("output"), "first, ") << mode;
    std::fputs("second", stream);
    cppc_fclose(stream);
    EXPECT_EQ(content("output"), "first, second") << mode;
  }
}

TEST_F(Files, AreWrittenWhereTheyWere) {
  FILE* stream = cppc_fopen(write("both", "0123456789").c_str(), "r+");
  std::fseek(stream, 4, SEEK_SET);
  stream = taken_over(stream);
  std::fputs("xy", stream);
  cppc_fclose(stream);
  EXPECT_EQ(content("both"), "0123xy6789");
}

TEST_F(Files, AreAppendedTo) {
  FILE* stream = cppc_fopen(write("log", "begin").c_str(), "a");
  std::fputs(", middle", stream);
  stream = taken_over(stream);
  std::ofstream(path("log"), std::ios::app) << ", others";
  std::fputs(", end", stream);
  cppc_fclose(stream);
  EXPECT_EQ(content("log"), "begin, middle, others, end");
}

TEST_F(Files, AreFoundFromAnotherDirectory) {
  write("input", "here\n");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(directory_);
  FILE* stream = cppc_fopen("input", "r");
  std::filesystem::current_path(before);
  stream = taken_over(stream);
  EXPECT_EQ(read_line(stream), "here\n");
  cppc_fclose(stream);
}

TEST_F(Files, KeepTheirBuffering) {
  FILE* stream = cppc_fopen(path("output").c_str(), "w");
  std::setvbuf(stream, nullptr, _IOLBF, 0);
  stream = taken_over(stream);
  std::fputs("line\n", stream);
  EXPECT_EQ(content("output"), "line\n");
  cppc_fclose(stream);
  stream = cppc_fopen(path("output").c_str(), "w");
  std::setvbuf(stream, nullptr, _IONBF, 0);
  stream = taken_over(stream);
  std::fputs("x", stream);
  EXPECT_EQ(content("output"), "x");
  cppc_fclose(stream);
}

TEST_F(Files, OpenedByFreopen) {
  FILE* stream = cppc_fopen(write("first", "1\n").c_str(), "r");
  stream = cppc_freopen(write("second", "2\n").c_str(), "r", stream);
  stream = taken_over(stream);
  EXPECT_EQ(read_line(stream), "2\n");
  cppc_fclose(stream);
}

TEST_F(Files, StandardStreamsAreThoseOfTheProcess) {
  for (FILE* const stream : {stdin, stdout, stderr}) {
    const auto stored = handles::encode(CPPC_FILE, &stream);
    FILE* back = nullptr;
    ASSERT_TRUE(handles::decode(CPPC_FILE, stored.value(), &back));
    EXPECT_EQ(back, stream);
  }
}

TEST_F(Files, AStandardStreamThatWasGivenAFileGetsItAgain) {
  cppc_freopen(write("input", "one\ntwo\n").c_str(), "r", stdin);
  EXPECT_EQ(read_line(stdin), "one\n");
  ByteWriter writer;
  ASSERT_EQ(save(writer), CPPC_OK);
  EXPECT_EQ(read_line(stdin), "two\n");
  ASSERT_NE(std::freopen("/dev/null", "r", stdin), nullptr);  // as in a new process
  ASSERT_EQ(load(writer), CPPC_OK);
  EXPECT_EQ(read_line(stdin), "two\n");
  cppc_freopen("/dev/null", "r", stdin);
}

TEST_F(Files, ClosedOnesAreNull) {
  FILE* stream = cppc_fopen(write("input", "").c_str(), "r");
  cppc_fclose(stream);
  const auto stored = handles::encode(CPPC_FILE, &stream);
  ASSERT_TRUE(stored);
  ASSERT_TRUE(handles::decode(CPPC_FILE, *stored, &stream));
  EXPECT_EQ(stream, nullptr);
}

void expect_refused(FILE* stream, const std::string& because) {
  const auto stored = handles::encode(CPPC_FILE, &stream);
  ASSERT_FALSE(stored);
  EXPECT_NE(stored.error().find(because), std::string::npos) << stored.error();
}

TEST_F(Files, OfOtherFunctionsAreRefusedByName) {
  FILE* stream = cppc_stream(popen("true", "r"), "popen");
  expect_refused(stream, "a stream of popen");
  EXPECT_EQ(cppc_pclose(stream), 0);
  stream = cppc_stream(tmpfile(), "tmpfile");
  expect_refused(stream, "a stream of tmpfile");
  cppc_fclose(stream);
  std::array<char, 8> unknown{};
  expect_refused(reinterpret_cast<FILE*>(unknown.data()), "not opened by fopen");
  EXPECT_EQ(cppc_stream(nullptr, "popen"), nullptr);
  EXPECT_EQ(cppc_fopen("/nowhere", "r"), nullptr);
}

TEST_F(Files, RemovedOrReplacedFilesAreRefusedAtTheSource) {
  FILE* stream = cppc_fopen(write("input", "x").c_str(), "r");
  std::filesystem::remove(path("input"));
  ByteWriter writer;
  EXPECT_EQ(save(writer), CPPC_ERR_UNSUPPORTED) << "removed";
  write("input", "y");
  EXPECT_EQ(save(writer), CPPC_ERR_UNSUPPORTED) << "another one";
  cppc_fclose(stream);
  EXPECT_EQ(save(writer), CPPC_OK);
}

TEST_F(Files, MissingFilesAreRefusedAndNotCreated) {
  for (const char* mode : {"r", "w", "a", "r+", "w+", "a+"}) {
    FILE* stream = cppc_fopen(write("file", "content").c_str(), mode);
    std::fputs("0123456789", stream);
    ByteWriter writer;
    ASSERT_EQ(save(writer), CPPC_OK);
    std::filesystem::remove(path("file"));
    EXPECT_EQ(load(writer), CPPC_ERR_UNSUPPORTED) << mode;
    EXPECT_FALSE(std::filesystem::exists(path("file"))) << mode;
    write("file", "other");
    EXPECT_EQ(load(writer), CPPC_ERR_UNSUPPORTED) << mode;
    cppc_fclose(stream);
  }
}

std::array<long, 6> draw() { return {rand(), random(), lrand48(), mrand48(), rand(), lrand48()}; }

void expect_goes_on() {
  const auto state = c_library::RandomState::present();
  ASSERT_TRUE(state);
  ByteWriter writer;
  state->write(writer);
  const auto expected = draw();
  srand(99);
  srand48(99);
  ByteReader reader(writer.bytes());
  const auto again = c_library::RandomState::read(reader);
  ASSERT_TRUE(reader.at_end());
  for (int round = 0; round < 2; ++round) {
    again.apply();
    EXPECT_EQ(draw(), expected);
  }
}

TEST(Random, GoesOn) {
  expect_goes_on();  // never seeded
  srand(17);
  srand48(17);
  for (int drawn = 0; drawn < 100; ++drawn) {
    expect_goes_on();
    draw();
  }
}

TEST(Random, IsNotChangedByBeingSaved) {
  srand(3);
  srand48(3);
  const auto expected = draw();
  srand(3);
  srand48(3);
  ASSERT_TRUE(c_library::RandomState::present());
  EXPECT_EQ(draw(), expected);
}

TEST(Random, KeepsTheParametersOfLcong48) {
  std::array<unsigned short, 7> parameters{1, 2, 3, 40007, 50021, 60013, 65521};
  lcong48(parameters.data());
  expect_goes_on();
  srand48(1);
}

TEST(Random, InMemoryOfTheProgramIsRefused) {
  std::array<char, 64> memory{};
  char* const before = initstate(5, memory.data(), memory.size());
  EXPECT_EQ(c_library::RandomState::present().error(), CPPC_ERR_UNSUPPORTED);
  setstate(before);
  EXPECT_TRUE(c_library::RandomState::present());
}

TEST(Random, StatesThatAreNoneAreNotRead) {
  auto state = *c_library::RandomState::present();
  for (const std::int32_t word : {-1, 5 * 31 + 3, 1 << 30, 4}) {
    auto wrong = state;
    std::memcpy(wrong.random.data(), &word, sizeof word);
    ByteWriter writer;
    wrong.write(writer);
    ByteReader reader(writer.bytes());
    c_library::RandomState::read(reader);
    EXPECT_FALSE(reader.ok()) << word;
  }
}

}  // namespace

}  // namespace cppc::test
