#include "timeline.hpp"

namespace cppc::run {
namespace {

constexpr std::uint64_t samples_of_a_rank = 200;

void add(Timeline::Shipping& shipping, const wire::Shipment& news, Timeline::Clock::time_point now) {
  shipping.done = news.bytes_done;
  shipping.total = news.bytes_total;
  shipping.chunks_again = news.chunks_again;
  auto& samples = shipping.samples;
  const bool is_end = news.bytes_done == news.bytes_total && news.bytes_done > 0;
  const std::uint64_t step = news.bytes_total / samples_of_a_rank;
  if (samples.empty() || news.bytes_done > samples.back().bytes + step ||
      (is_end && samples.back().bytes < news.bytes_done))
    samples.push_back({now, news.bytes_done});
}

}  // namespace

void Timeline::take(const wire::Progress& progress, Clock::time_point now) {
  auto& phases = phases_[progress.agent];
  if (phases.empty() || phases.back().name != progress.phase) phases.push_back({progress.phase, now});
  if (progress.phase != "ship" && progress.phase != "commit" && progress.phase != "write")
    return;  // what they tell is of another migration
  sums_[progress.agent] = {0, progress.bytes_done, progress.bytes_total};
  for (const wire::Shipment& one : progress.ranks) add(shipping_[one.rank], one, now);
  const Sample sum{now, bytes_done()};
  if (sum.bytes == 0) return;
  if (!first_) first_ = sum;
  if (!last_ || sum.bytes > last_->bytes) last_ = sum;
}

void Timeline::drop_details() {
  phases_.clear();
  shipping_.clear();
  sums_.clear();
}

std::uint64_t Timeline::bytes_done() const {
  std::uint64_t sum = 0;
  for (const auto& [agent, one] : sums_) sum += one.bytes_done;
  return sum;
}

std::uint64_t Timeline::bytes_total() const {
  std::uint64_t sum = 0;
  for (const auto& [agent, one] : sums_) sum += one.bytes_total;
  return sum;
}

std::optional<double> Timeline::rate() const {
  if (!first_ || last_->at <= first_->at) return std::nullopt;
  return static_cast<double>(last_->bytes - first_->bytes) /
         std::chrono::duration<double>(last_->at - first_->at).count();
}

}  // namespace cppc::run
