#include <sys/socket.h>

#include <cerrno>

#include "../common/job_directory.hpp"
#include "cppc/unique_fd.hpp"
#include "route.hpp"

namespace cppc::migrate {
namespace {

class LocalRoute : public Route {
 public:
  explicit LocalRoute(std::filesystem::path socket) : socket_(std::move(socket)) {}

  HttpReply ask(const HttpRequest& request, std::chrono::milliseconds timeout) const override {
    return ask_by_socket(socket_, request, {timeout, timeout});
  }

  Result<std::string> authorization(const std::string&, const std::string&) const override { return ""; }

  // cppc-run that was killed cannot remove its sockets; one that has ended did.
  bool gone(std::chrono::milliseconds) const override {
    const auto address = tools::socket_address(socket_);
    if (!address) return false;
    // Not blocking: cppc-run that is stopped and has a full queue of connections listens, too.
    const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0 &&
           (errno == ECONNREFUSED || errno == ENOENT);
  }

  std::chrono::milliseconds pause() const override { return std::chrono::milliseconds(50); }

 private:
  std::filesystem::path socket_;
};

}  // namespace

std::shared_ptr<const Route> by_socket(std::filesystem::path socket) {
  return std::make_shared<LocalRoute>(std::move(socket));
}

}  // namespace cppc::migrate
