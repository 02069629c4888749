#include "acceptor.hpp"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <unistd.h>

#include <future>
#include <sstream>
#include <thread>

#include "../running_loop.hpp"
#include "../socket.hpp"
#include "cppc/unique_fd.hpp"
#include "sockets.hpp"

namespace cppc::tools {
namespace {

/// From now on this process gets no descriptor.
class NoDescriptors {
 public:
  NoDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const UniqueFd next(dup(STDERR_FILENO));
    const rlimit none{static_cast<rlim_t>(next.get()), before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

/// What is logged by the loop's thread, read after it has stopped.
class Log {
 public:
  Log() : before_(spdlog::default_logger()) {
    spdlog::set_default_logger(
        std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text_)));
  }
  ~Log() { spdlog::set_default_logger(before_); }
  std::string text() const { return text_.str(); }

 private:
  std::shared_ptr<spdlog::logger> before_;
  std::ostringstream text_;
};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

class AcceptorTest : public testing::Test {
 protected:
  void start(test::RunningLoop& running) {
    Listener listener = listen_on_tcp(running.context(), Reach::machine).value();
    port_ = listener.port;
    acceptor_ = running.call([&] {
      return std::make_unique<Acceptor>(std::move(listener.socket), "agents'",
                                        [this](Socket) { accepted_.set_value(); });
    });
  }
  void stop(test::RunningLoop& running) {
    running.call([this] { return acceptor_.reset(), 0; });
  }
  bool accepts() { return accepted_.get_future().wait_for(std::chrono::minutes(1)) == std::future_status::ready; }

  std::uint16_t port_ = 0;
  std::promise<void> accepted_;
  std::unique_ptr<Acceptor> acceptor_;
};

TEST_F(AcceptorTest, HandsOverConnections) {
  test::RunningLoop running;
  start(running);
  const test::Socket client = test::Socket::connect_tcp(port_);
  EXPECT_TRUE(accepts());
  stop(running);
}

TEST_F(AcceptorTest, WithoutDescriptorsSaysSoOnceAndAcceptsLater) {
  const Log log;
  {
    test::RunningLoop running;
    start(running);
    const UniqueFd client(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    {
      const NoDescriptors none;
      test::connect(client.get(), port_);
      while (running.call([&] { return log.text(); }).empty()) std::this_thread::yield();
      for (int turn = 0; turn < 1000; ++turn) running.call([] { return 0; });  // a connection that waits wakes nobody
    }
    EXPECT_TRUE(accepts());
    stop(running);
  }
  EXPECT_EQ(count(log.text(), "cannot accept agents' connections: Too many open files"), 1U) << log.text();
}

TEST_F(AcceptorTest, MayBeDestroyedByItsCallback) {
  test::RunningLoop running;
  start(running);
  std::promise<void> gone;
  Listener other = listen_on_tcp(running.context(), Reach::machine).value();
  std::unique_ptr<Acceptor> one;
  running.call([&] {
    one = std::make_unique<Acceptor>(std::move(other.socket), "agents'", [&](Socket) {
      one.reset();
      gone.set_value();
    });
    return 0;
  });
  const test::Socket client = test::Socket::connect_tcp(other.port);
  EXPECT_EQ(gone.get_future().wait_for(std::chrono::minutes(1)), std::future_status::ready);
  stop(running);
}

}  // namespace
}  // namespace cppc::tools
