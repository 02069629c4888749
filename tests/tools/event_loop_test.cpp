#include "event_loop.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>

#include "line_connection.hpp"
#include "running_loop.hpp"
#include "socket.hpp"

namespace cppc::run {
namespace {

using namespace std::chrono_literals;

std::array<UniqueFd, 2> socket_pair() {
  std::array<int, 2> ends{};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), 0);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

TEST(EventLoop, CarriesOutWhatWasPostedInItsOrder) {
  const auto loop = EventLoop::create().value();
  std::string order;
  loop->post([&] { order += 'a'; });
  loop->post([&] {
    order += 'b';
    loop->post([&] {
      order += 'c';
      loop->stop();
    });
  });
  loop->run();
  EXPECT_EQ(order, "abc");
}

TEST(EventLoop, TimersGoOffInTheOrderOfTheirTimes) {
  const auto loop = EventLoop::create().value();
  std::string order;
  loop->after(20ms, [&] {
    order += 'b';
    loop->stop();
  });
  loop->after(1ms, [&] { order += 'a'; });
  loop->run();
  EXPECT_EQ(order, "ab");
}

TEST(EventLoop, ACallbackCanForgetAnyDescriptorEvenOneThatIsReady) {
  const auto loop = EventLoop::create().value();
  auto [a, a_other] = socket_pair();
  auto [b, b_other] = socket_pair();
  int called = 0;
  const auto forget_both = [&](std::uint32_t) {
    ++called;
    loop->forget(a.get());
    loop->forget(b.get());
    loop->stop();
  };
  loop->watch(a.get(), EPOLLIN, forget_both);
  loop->watch(b.get(), EPOLLIN, forget_both);
  ASSERT_EQ(write(a_other.get(), "x", 1), 1);
  ASSERT_EQ(write(b_other.get(), "x", 1), 1);
  loop->run();
  EXPECT_EQ(called, 1);
}

class Lines : public testing::Test {
 protected:
  Lines() {
    auto [mine, other] = socket_pair();
    other_ = std::move(other);
    LineConnection::Events events;
    events.line = [this](std::string_view line) {
      said_ += "<" + std::string(line) + ">";
      if (line == "drop") end();
    };
    events.closed = [this] {
      said_ += "closed";
      end();
    };
    connection_ = std::make_unique<LineConnection>(*loop_, std::move(mine), 10, std::move(events));
  }
  void write_and_close(const std::string& text) {
    ASSERT_EQ(write(other_.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    other_.reset();
    loop_->run();
  }
  void end() {
    connection_.reset();
    loop_->stop();
  }

  std::unique_ptr<EventLoop> loop_ = EventLoop::create().value();
  UniqueFd other_;
  std::string said_;
  std::unique_ptr<LineConnection> connection_;
};

TEST_F(Lines, ComeOneByOneAndThenTheEnd) {
  write_and_close("one\n\ntwo\nunfinished");
  EXPECT_EQ(said_, "<one><><two>closed");
}

TEST_F(Lines, ACallbackCanDropTheConnection) {
  write_and_close("one\ndrop\ntwo\n");
  EXPECT_EQ(said_, "<one><drop>");
}

TEST_F(Lines, ALineThatIsTooLongEndsTheConnection) {
  write_and_close("one\n" + std::string(100'000, 'x'));
  EXPECT_EQ(said_, "<one>closed");
}

TEST(LineConnection, SendsMoreThanTheSocketTakesAtOnce) {
  test::RunningLoop running;
  std::array<int, 2> ends{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  ASSERT_EQ(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
  test::Socket reader(ends[1]);
  auto connection = running.call([&] {
    return std::make_unique<LineConnection>(running.loop(), UniqueFd(ends[0]), 10,
                                            LineConnection::Events{.line = [](auto) {}, .closed = [] {}});
  });
  const std::string much(8'000'000, 'x');
  running.call([&] { return connection->send(much), 0; });
  EXPECT_EQ(reader.receive(much.size()), much);
  running.call([&] { return connection.reset(), 0; });
}

}  // namespace
}  // namespace cppc::run
