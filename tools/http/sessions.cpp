#include "sessions.hpp"

#include <algorithm>

#include "../access/random.hpp"
#include "cppc/agent_key.hpp"

namespace cppc::tools {
namespace {

using namespace std::chrono_literals;

constexpr auto lifetime = 12h;
constexpr std::size_t most_sessions = 64;

constexpr auto window = 1min;
constexpr std::size_t most_failures = 10;
constexpr std::size_t most_addresses = 1000;

}  // namespace

Sessions::Session Sessions::open(Time now) {
  const std::scoped_lock lock(mutex_);
  if (sessions_.size() >= most_sessions) sessions_.pop_front();
  return sessions_.emplace_back(Session{random_hex(32), random_hex(32), now + lifetime});
}

bool Sessions::is_open(const std::string& id, const std::string& csrf, Time now) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(sessions_, [&](const Session& one) { return one.until <= now; });
  return std::ranges::any_of(
      sessions_, [&](const Session& one) { return same_secret(one.id, id) && same_secret(one.csrf, csrf); });
}

void Sessions::close(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(sessions_, [&](const Session& one) { return one.id == id; });
}

bool FailedLogins::too_many(const std::string& address, Time now) {
  const std::scoped_lock lock(mutex_);
  forget(now);
  const auto found = failures_.find(address);
  return found != failures_.end() && found->second.size() >= most_failures;
}

void FailedLogins::add(const std::string& address, Time now) {
  const std::scoped_lock lock(mutex_);
  forget(now);
  if (failures_.size() >= most_addresses && !failures_.contains(address)) return;  // a token is not found by so few
  failures_[address].push_back(now);
}

void FailedLogins::forget(Time now) {
  for (auto& [address, times] : failures_) std::erase_if(times, [&](Time at) { return at + window <= now; });
  std::erase_if(failures_, [](const auto& one) { return one.second.empty(); });
}

}  // namespace cppc::tools
