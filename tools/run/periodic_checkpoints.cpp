#include "periodic_checkpoints.hpp"

#include <spdlog/spdlog.h>

#include <utility>

#include "checkpoint_storage.hpp"

namespace cppc::run {
namespace {

using namespace std::chrono_literals;

constexpr auto look = 100ms;      // how often it looks how a checkpoint, or the job's start, comes along
constexpr double timeout_s = 60;  // until all ranks have come to a place where they can stop

}  // namespace

PeriodicCheckpoints::PeriodicCheckpoints(Job& job, std::chrono::milliseconds interval)
    : job_(job), interval_(interval), thread_([this](const std::stop_token& stop) { run(stop); }) {}

PeriodicCheckpoints::~PeriodicCheckpoints() = default;

// False: it is over.
bool PeriodicCheckpoints::rest(const std::stop_token& stop, std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  stopped_.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

void PeriodicCheckpoints::run(const std::stop_token& stop) {
  auto next = std::chrono::steady_clock::now();
  for (bool running = false; rest(stop, look);) {
    const auto now = std::chrono::steady_clock::now();
    const bool began = !std::exchange(running, job_.state() == Job::State::running) && running;
    if (began) next = now + interval_;
    if (!running || now < next) continue;
    while (next <= now) next += interval_;
    save(stop);
  }
}

/// Not the same each time.
void PeriodicCheckpoints::warn(const std::string& reason) {
  if (std::exchange(reason_, reason) != reason) spdlog::warn("no checkpoint: {}", reason);
}

void PeriodicCheckpoints::save(const std::stop_token& stop) {
  job_.refresh();
  const auto asked = request_checkpoint(job_, "", timeout_s, {.periodic = true});
  if (!asked) {
    if (asked.error().kind == Job::Refusal::Kind::plan) warn(asked.error().reason);
    return;
  }
  for (const std::string& message : asked->messages)  // of the first that has any
    if (!std::exchange(told_, true)) spdlog::warn("{}", message);
  auto checkpoint = job_.migration(asked->id);
  for (; !checkpoint->over() && rest(stop, look); checkpoint = job_.migration(asked->id)) continue;
  if (!checkpoint->over()) return;
  if (checkpoint->state == Migration::State::done) {
    reason_.clear();
    spdlog::info("checkpoint {}: {} MB, ranks stood still for {:.0f} ms", checkpoint->draft->complete.string(),
                 checkpoint->outcome.image_bytes / 1'000'000, checkpoint->outcome.frozen_ms);
  } else if (checkpoint->outcome.status == CPPC_ERR_CANCELLED) {
    spdlog::info("no checkpoint this time: ranks are to move");
  } else if (checkpoint->outcome.status == CPPC_ERR_STATE) {
    spdlog::info("no checkpoint any more: {}", checkpoint->outcome.reason);
  } else if (checkpoint->outcome.status != CPPC_ERR_PEER && job_.state() == Job::State::running) {  // it has not ended
    warn(checkpoint->outcome.reason);
  }
}

}  // namespace cppc::run
