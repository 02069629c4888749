#include "io_thread.hpp"

#include <gtest/gtest.h>

#include <string>

namespace cppc::tools {
namespace {

using namespace std::chrono_literals;

TEST(IoThread, BeforeItEndsItCarriesOutWhatWasPostedInItsOrder) {
  const auto io = IoThread::create().value();
  std::string order;
  post(io->context(), [&] { order += 'a'; });
  post(io->context(), [&] { order += 'b'; });
  io->start();
  for (const char last : {'c', 'd', 'e'}) post(io->context(), [&order, last] { order += last; });
  io->stop();
  EXPECT_EQ(order, "abcde");
}

TEST(IoThread, TimersGoOffOnceTheirTimeHasCome) {
  const auto io = IoThread::create().value();
  const auto start = std::chrono::steady_clock::now();
  auto& context = io->context();
  after(context, 20ms, [&] { context.stop(); });
  context.run();
  EXPECT_GE(std::chrono::steady_clock::now() - start, 20ms);
}

}  // namespace
}  // namespace cppc::tools
