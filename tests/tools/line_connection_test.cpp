#include "line_connection.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>

#include "cppc/unique_fd.hpp"
#include "running_loop.hpp"
#include "socket.hpp"

namespace cppc::run {
namespace {

struct Pair {
  Socket mine;
  UniqueFd other;
};

Pair socket_pair(asio::io_context& context) {
  std::array<int, 2> ends{};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  return {Socket(context, asio::generic::stream_protocol(AF_UNIX, 0), ends[0]), UniqueFd(ends[1])};
}

class Lines : public testing::Test {
 protected:
  Lines() {
    auto [mine, other] = socket_pair(context_);
    other_ = std::move(other);
    LineConnection::Events events;
    events.line = [this](std::string_view line) {
      received_ += "<" + std::string(line) + ">";
      if (line == "drop") end();
    };
    events.closed = [this] {
      received_ += "closed";
      end();
    };
    connection_ = std::make_unique<LineConnection>(std::move(mine), 10, std::move(events));
  }
  void write_and_close(const std::string& text) {
    ASSERT_EQ(write(other_.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    other_.reset();
    context_.run();
  }
  void end() { connection_.reset(); }

  asio::io_context context_;
  UniqueFd other_;
  std::string received_;
  std::unique_ptr<LineConnection> connection_;
};

TEST_F(Lines, ComeOneByOneAndThenTheEnd) {
  write_and_close("one\n\ntwo\nunfinished");
  EXPECT_EQ(received_, "<one><><two>closed");
}

TEST_F(Lines, ACallbackCanDropTheConnection) {
  write_and_close("one\ndrop\ntwo\n");
  EXPECT_EQ(received_, "<one><drop>");
}

TEST_F(Lines, ALineThatIsTooLongEndsTheConnection) {
  write_and_close("one\n" + std::string(100'000, 'x'));
  EXPECT_EQ(received_, "<one>closed");
}

TEST(LineConnection, SendsMoreThanTheSocketTakesAtOnce) {
  test::RunningLoop running;
  auto [mine, other] = socket_pair(running.context());
  test::Socket reader(other.release());
  auto connection = running.call([&, socket = &mine] {
    return std::make_unique<LineConnection>(std::move(*socket), 10,
                                            LineConnection::Events{.line = [](auto) {}, .closed = [] {}});
  });
  const std::string much(8'000'000, 'x');
  running.call([&] { return connection->send(much), 0; });
  EXPECT_EQ(reader.receive(much.size()), much);
  running.call([&] { return connection.reset(), 0; });
}

}  // namespace
}  // namespace cppc::run
