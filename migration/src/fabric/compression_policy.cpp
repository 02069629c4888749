#include "fabric/compression_policy.hpp"

namespace cppc::fabric {
namespace {

constexpr std::uint64_t enough_to_tell = std::uint64_t{8} << 20;
constexpr double worth_it = 0.9;        // of the time without
constexpr double least_seconds = 1e-9;  // a byte: compression is never faster

}  // namespace

bool CompressionPolicy::wanted() { return compresses_ = decide(); }

bool CompressionPolicy::decide() {
  if (wish_ != Compression::automatic) return wish_ == Compression::on;
  if (wire_seconds_ <= least_seconds) return false;  // or not known
  if (!tried_ || pays()) return true;
  // The next memory may be of another kind: it is tried again, ever more rarely.
  if (++skipped_ < between_trials_) return false;
  skipped_ = 0;
  between_trials_ *= 2;
  return true;
}

bool CompressionPolicy::pays() const {
  return compress_seconds_ + remainder_ * wire_seconds_ < worth_it * wire_seconds_;
}

void CompressionPolicy::delivered(std::uint64_t bytes, Seconds since) {
  if (wire_seconds_ == 0 && bytes >= enough_to_tell) wire_seconds_ = since.count() / static_cast<double>(bytes);
}

void CompressionPolicy::compressed(std::size_t before, std::size_t after, Seconds time) {
  const double bytes = static_cast<double>(before);
  compress_seconds_ = time.count() / bytes;
  remainder_ = static_cast<double>(after) / bytes;
  tried_ = true;
}

}  // namespace cppc::fabric
