#include "connection.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace cppc::keeper {

using nlohmann::json;
using tools::error;

std::optional<json> Connection::next(std::chrono::seconds timeout) {
  while (text_.find('\n') == std::string::npos)
    if (!read_more(timeout)) return std::nullopt;
  const auto end = text_.find('\n');
  json object = json::parse(text_.substr(0, end), nullptr, /*allow_exceptions=*/false);
  text_.erase(0, end + 1);
  return object;
}

bool Connection::read_more(std::chrono::seconds timeout) {
  pollfd input{input_, POLLIN, 0};
  const int ready = poll(&input, 1, static_cast<int>(std::chrono::milliseconds(timeout).count()));
  if (ready < 0 && errno == EINTR) return true;
  if (ready <= 0) return false;
  std::array<char, 65536> bytes{};
  const ssize_t got = read(input_, bytes.data(), bytes.size());
  if (got < 0 && errno == EINTR) return true;
  ended_ = got <= 0;
  if (got > 0) text_.append(bytes.data(), static_cast<std::size_t>(got));
  return !ended_;
}

void Connection::send(const json& object) {
  const std::lock_guard lock(sending_);
  const std::string line = object.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t written = write(output_, line.data() + done, line.size() - done);
    if (written < 0 && errno != EINTR) return;
    done += written > 0 ? static_cast<std::size_t>(written) : 0;
  }
}

bool Connection::await_successor(std::chrono::seconds timeout) {
  std::unique_lock lock(adopting_);
  successor_.reset();
  waits_ = true;
  const bool adopted = adopted_.wait_for(lock, timeout, [this] { return !waits_; });
  waits_ = false;
  if (!adopted) return false;
  const std::lock_guard also(sending_);
  input_ = output_ = successor_.get();
  text_.clear();
  ended_ = false;
  return true;
}

Result<UniqueFd> Connection::adopt() {
  const std::lock_guard lock(adopting_);
  if (!waits_) return error("the job's cppc-run is still there");
  std::array<int, 2> ends{-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return error(std::string("no connection: ") + std::strerror(errno));
  successor_ = UniqueFd(ends[0]);
  waits_ = false;
  adopted_.notify_one();
  return UniqueFd(ends[1]);
}

}  // namespace cppc::keeper
