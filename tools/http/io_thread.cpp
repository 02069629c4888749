#include "io_thread.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

namespace cppc::tools {

Result<std::unique_ptr<IoThread>> IoThread::create() {
  try {
    return std::unique_ptr<IoThread>(new IoThread);
  } catch (const boost::system::system_error& failure) {
    return error("cannot wait for events: " + failure.code().message());
  }
}

void IoThread::start() {
  thread_ = std::thread([this] { context_.run(); });
}

void IoThread::stop() {
  if (!thread_.joinable()) return;
  post(context_, [this] { context_.stop(); });
  thread_.join();
}

void post(asio::io_context& context, std::function<void()> function) { asio::post(context, std::move(function)); }

void after(asio::io_context& context, std::chrono::milliseconds delay, std::function<void()> function) {
  auto timer = std::make_unique<asio::steady_timer>(context, delay);
  auto& waiting = *timer;
  waiting.async_wait([timer = std::move(timer), function = std::move(function)](boost::system::error_code failure) {
    if (!failure) function();
  });
}

}  // namespace cppc::tools
