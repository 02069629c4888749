#include "progress.hpp"

#include <algorithm>
#include <cmath>

#include "job_client.hpp"

namespace cppc::migrate {
namespace {

using nlohmann::json;

constexpr int bar_width = 24;

std::string rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value < 9.95 ? "%.1f" : "%.0f", value);
  return text;
}

/// For whom it waits: the first that the job names, and how many more nodes have such a rank; may be empty.
std::string waits_for(const json& migration) {
  const json& all = list(migration, "waits_for");
  if (all.empty() || !all.front().is_string()) return "";
  const std::size_t more = all.size() - 1;
  return all.front().get<std::string>() +
         (more == 0 ? "" : " (and ranks of " + std::to_string(more) + (more == 1 ? " more node)" : " more nodes)"));
}

}  // namespace

std::string megabytes(double bytes) { return rounded(bytes / 1e6) + " MB"; }

std::string moves_text(const json& moves) {
  std::string text;
  for (const json& move : moves) {
    text += (text.empty() ? "rank " : ", rank ") + std::to_string(whole_number(move, "rank")) + ": " +
            migrate::text(move, "from") + " -> " + migrate::text(move, "to");
  }
  return text;
}

std::string bar(const std::string& phase, std::uint64_t done, std::uint64_t total,
                std::optional<double> bytes_per_second) {
  const double share = total == 0 ? 0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const int filled = static_cast<int>(share * bar_width);
  std::string text = "[" + std::string(filled, '#') + std::string(bar_width - filled, '-') + "] " + phase;
  if (total == 0) return text;
  text += ": " + rounded(static_cast<double>(done) / 1e6) + " of " + megabytes(static_cast<double>(total));
  if (!bytes_per_second) return text;
  const double left = static_cast<double>(total - std::min(done, total)) / *bytes_per_second;
  return text + ", " + megabytes(*bytes_per_second) + "/s, " + std::to_string(std::lround(std::ceil(left))) + " s left";
}

void Progress::show(const json& migration, Clock::time_point now) {
  const std::string phase = text(migration, "state");
  const std::uint64_t done = whole_number(migration, "bytes_done"), total = whole_number(migration, "bytes_total");
  const std::string late = waits_for(migration);
  if (!late.empty() && late != waits_for_) {
    clear();
    std::fprintf(out_, "%s%s: %s\n", label_.c_str(), phase.c_str(), late.c_str());
  }
  waits_for_ = late;
  if (terminal_) {
    std::fprintf(out_, "\r%s\x1b[K", bar(phase, done, total, rate(done, now)).c_str());
    drawn_ = true;
  } else if (phase != phase_) {
    const std::string size =
        (phase == "ship" || phase == "write") && total > 0 ? ": " + megabytes(static_cast<double>(total)) : "";
    std::fprintf(out_, "%s%s%s\n", label_.c_str(), phase.c_str(), size.c_str());
  }
  phase_ = phase;
  std::fflush(out_);
}

void Progress::clear() {
  if (drawn_) std::fputs("\r\x1b[K", out_);
  std::fflush(out_);
}

std::optional<double> Progress::rate(std::uint64_t bytes, Clock::time_point now) {
  if (bytes == 0) return std::nullopt;
  if (!first_bytes_at_) {
    first_bytes_at_ = now;
    first_bytes_ = bytes;
  }
  const double seconds = std::chrono::duration<double>(now - *first_bytes_at_).count();
  if (seconds <= 0 || bytes <= first_bytes_) return std::nullopt;
  return static_cast<double>(bytes - first_bytes_) / seconds;
}

}  // namespace cppc::migrate
