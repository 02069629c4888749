#include "rank/last_image.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace cppc::migration {
namespace {

using namespace std::chrono_literals;

constexpr int kRank = 7;

std::vector<double> state() {
  std::vector<double> values(100'000);
  std::iota(values.begin(), values.end(), 0.0);
  return values;
}

image::Image image_of(const std::vector<double>& values) {
  auto writer = image::Writer::create();
  EXPECT_TRUE(writer);
  image::Object object;
  object.path = "global/values";
  object.type = std::make_shared<image::Type>(
      image::Type{.cls = image::Class::floating, .size = 8, .name = "double", .members = {}});
  object.count = values.size();
  object.data = std::as_bytes(std::span(values));
  EXPECT_TRUE(writer->add(object));
  auto image = std::move(*writer).finish();
  EXPECT_TRUE(image);
  return *std::move(image);
}

/// The last message.
class Listener : public spdlog::sinks::base_sink<std::mutex> {
 public:
  std::string last() {
    const std::lock_guard lock(mutex_);
    return last_;
  }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    last_ = std::string(message.payload.begin(), message.payload.end());
  }
  void flush_() override {}
  std::string last_;
};

class LastImageTest : public testing::Test {
 protected:
  LastImageTest() {
    setenv("CPPC_JOB", job_.c_str(), 1);
    setenv("CPPC_DEADLINE_COMMIT", "100000", 1);
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("test", heard_));
  }
  ~LastImageTest() override {
    spdlog::set_default_logger(logger_);
    unsetenv("CPPC_JOB");
    for (const char* name : {"CPPC_DEADLINE_DECIDE", "CPPC_DEADLINE_COMMIT"}) unsetenv(name);
    std::filesystem::remove(file_);
  }

  [[nodiscard]] bool there() const { return std::filesystem::exists(file_); }
  [[nodiscard]] std::string said() const { return heard_->last(); }
  template <typename Condition>
  static void await(Condition condition) {
    const auto limit = std::chrono::steady_clock::now() + 60s;
    while (!condition() && std::chrono::steady_clock::now() < limit) std::this_thread::sleep_for(1ms);
    ASSERT_TRUE(condition());
  }
  void await_file() const {
    await([this] { return there(); });
  }
  void expect_state() const {
    std::ifstream in(file_, std::ios::binary);
    const std::vector<char> bytes(std::istreambuf_iterator<char>(in), {});
    const auto reader = image::Reader::open(std::as_bytes(std::span(bytes)));
    ASSERT_TRUE(reader);
    EXPECT_TRUE(reader->sealed());
    ASSERT_EQ(reader->entries().size(), 1U);
    std::vector<double> values(100'000);
    EXPECT_TRUE(reader->read(reader->entries()[0], std::as_writable_bytes(std::span(values))));
    EXPECT_EQ(values, state());
  }

  const std::string job_ = "test-" + std::to_string(getpid());
  const std::filesystem::path file_ = LastImage::path(job_, kRank);
  const std::shared_ptr<spdlog::logger> logger_ = spdlog::default_logger();
  const std::shared_ptr<Listener> heard_ = std::make_shared<Listener>();
};

TEST_F(LastImageTest, StaysWhenTheRankIsKilledASecondAfterSigcont) {
  std::array<int, 2> ready{};
  ASSERT_EQ(pipe(ready.data()), 0);
  const pid_t rank = fork();
  if (rank == 0) {
    const auto values = state();
    const auto kept = LastImage::keep(image_of(values), kRank);
    const bool told = write(ready[1], "!", 1) == 1;
    while (kept && told) pause();
    _exit(1);
  }
  char mark = 0;
  ASSERT_EQ(read(ready[0], &mark, 1), 1);
  EXPECT_FALSE(there());
  kill(rank, SIGCONT);
  await_file();
  kill(rank, SIGKILL);
  int status = 0;
  waitpid(rank, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  expect_state();
  EXPECT_EQ(std::filesystem::status(file_).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(LastImageTest, GoesWhenTheRankHasMovedAllTheSame) {
  const auto values = state();
  auto kept = LastImage::keep(image_of(values), kRank);
  ASSERT_TRUE(kept);
  raise(SIGCONT);
  await([this] { return !said().empty(); });
  EXPECT_NE(said().find("its last image is " + file_.string()), std::string::npos) << said();
  EXPECT_TRUE(there());
  kept->reset();
  EXPECT_FALSE(there());
}

TEST_F(LastImageTest, IsNotWrittenWithoutNeed) {
  const auto values = state();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(LastImage::keep(image_of(values), kRank));
    EXPECT_FALSE(there());
  }
}

TEST_F(LastImageTest, IsWrittenWhenTheCommitTakesLong) {
  setenv("CPPC_DEADLINE_DECIDE", "1", 1);
  setenv("CPPC_DEADLINE_COMMIT", "1", 1);
  const auto values = state();
  const auto kept = LastImage::keep(image_of(values), kRank);
  ASSERT_TRUE(kept);
  await_file();
  expect_state();
}

TEST_F(LastImageTest, GivesTheProgramsHandlerBack) {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  sigaction(SIGCONT, &action, nullptr);
  const auto values = state();
  ASSERT_TRUE(LastImage::keep(image_of(values), kRank));
  struct sigaction after {};
  sigaction(SIGCONT, nullptr, &after);
  EXPECT_EQ(after.sa_handler, action.sa_handler);
  signal(SIGCONT, SIG_DFL);
}

TEST_F(LastImageTest, LeavesAFileOfThisNameAlone) {
  std::ofstream(file_) << "somebody's";
  const auto values = state();
  auto kept = LastImage::keep(image_of(values), kRank);
  ASSERT_TRUE(kept);
  raise(SIGCONT);
  await([this] { return !said().empty(); });
  EXPECT_NE(said().find("cannot be kept as " + file_.string()), std::string::npos) << said();
  kept->reset();
  std::string text;
  std::getline(std::ifstream(file_) >> std::ws, text);
  EXPECT_EQ(text, "somebody's");
}

}  // namespace
}  // namespace cppc::migration
