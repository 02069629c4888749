#include "adoption.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "../common/pass_on.hpp"
#include "cppc/keeper.hpp"

namespace cppc::keeper {
namespace {

// The keeper may have yet to notice that its cppc-run has ended.
Result<UniqueFd> adopt_soon(const std::string& job) {
  constexpr int times = 30;
  auto keeper = adopt(job);
  for (int i = 1; i < times && !keeper; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    keeper = adopt(job);
  }
  return keeper;
}

}  // namespace

Result<void> adopt_job(const std::string& job) {
  const auto keeper = adopt_soon(job);
  if (!keeper) return tools::error(keeper.error());
  std::array<pollfd, 2> ends{pollfd{STDIN_FILENO, POLLIN, 0}, pollfd{keeper->get(), POLLIN, 0}};
  while (true) {
    if (poll(ends.data(), ends.size(), -1) < 0 && errno != EINTR) return tools::error("cannot wait for requests");
    if (ends[0].revents != 0 && !tools::pass_on(STDIN_FILENO, keeper->get())) return {};
    if (ends[1].revents != 0 && !tools::pass_on(keeper->get(), STDOUT_FILENO)) return {};
  }
}

Result<void> end_keeper(const std::string& job) {
  const auto process = process_of(job);
  if (!process) return tools::error(process.error());
  if (kill(*process, SIGKILL) != 0) return tools::error(std::string("it cannot be ended: ") + std::strerror(errno));
  return {};
}

}  // namespace cppc::keeper
