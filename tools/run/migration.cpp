#include "migration.hpp"

#include <array>

namespace cppc::run {
namespace {

constexpr std::array<std::string_view, 11> names{"queued", "prepare", "negotiate", "freeze",  "ship",   "commit",
                                                 "write",  "done",    "failed",    "refused", "damaged"};

}  // namespace

double Migration::seconds() const {
  if (!started) return 0;
  return std::chrono::duration<double>(ended.value_or(Clock::now()) - *started).count();
}

void Migration::note(const wire::Late& late) {
  if (late.reason.empty())
    waits_for.erase(late.agent);
  else
    waits_for[late.agent] = late.reason;
}

void Migration::end(State how, cppc_status status, std::string reason) {
  state = how;
  outcome.status = status;
  outcome.reason = std::move(reason);
  ended = Clock::now();
  if (!started) started = ended;
  saved = {};
  saved_by = {};
  waits_for = {};
}

void Migration::drop_details() {
  timeline.drop_details();
  outcome.downtime_ms = {};
  detailed = false;
}

std::string_view text(Migration::State state) { return names[static_cast<std::size_t>(state)]; }

std::optional<Migration::State> phase_named(std::string_view name) {
  for (auto state = Migration::State::prepare; state <= Migration::State::write;
       state = static_cast<Migration::State>(static_cast<int>(state) + 1)) {
    if (text(state) == name) return state;
  }
  return std::nullopt;
}

}  // namespace cppc::run
