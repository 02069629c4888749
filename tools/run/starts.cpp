#include "starts.hpp"

#include <spdlog/spdlog.h>

namespace cppc::run {

void Starts::go_to(const Layout& layout) {
  present_.nodes = layout.nodes;
  present_.places = layout.places;
  present_.named = true;
  all_ = present_;
}

std::optional<std::string> Starts::after(const JobEnd& end, Controller& controller) {
  if (end.hop && end.told_to_stop) return std::nullopt;
  if (end.hop && !end.hop->begun) {
    spdlog::info("the job goes on from {}, on {}", end.hop->checkpoint, names_of(end.hop->after.nodes));
    fell_back_ = false;
    go_to(end.hop->after);
    return end.hop->checkpoint;
  }
  if (end.hop && end.status != 0 && !fell_back_) {
    const std::string reason = "the job could not be started on " + names_of(end.hop->after.nodes);
    spdlog::error("{}; it goes on from {}, on {}", reason, end.hop->checkpoint, names_of(end.hop->before.nodes));
    fell_back_ = true;
    controller.hop_failed(reason);
    go_to(end.hop->before);
    return end.hop->checkpoint;
  }
  if (auto left = without(all_, end.evacuated)) all_ = *std::move(left);
  auto start = recovery_.after(end, all_);
  if (!start) return std::nullopt;
  controller.interrupted("the job has been lost, and is started again");
  present_ = std::move(start->allocation);
  present_.places = start->restart.empty() ? std::vector<std::string>{} : controller.places_on(present_.nodes);
  return std::move(start->restart);
}

}  // namespace cppc::run
