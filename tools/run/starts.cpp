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
  if (end.relocation && end.stop_requested) return std::nullopt;
  if (end.relocation && !end.relocation->begun) {
    spdlog::info("the job goes on from {}, on {}", end.relocation->checkpoint, names_of(end.relocation->after.nodes));
    fell_back_ = false;
    go_to(end.relocation->after);
    return end.relocation->checkpoint;
  }
  if (end.relocation && end.status != 0 && !fell_back_) {
    const std::string reason = "the job could not be started on " + names_of(end.relocation->after.nodes);
    spdlog::error("{}; it goes on from {}, on {}", reason, end.relocation->checkpoint,
                  names_of(end.relocation->before.nodes));
    fell_back_ = true;
    controller.relocation_failed(reason);
    go_to(end.relocation->before);
    return end.relocation->checkpoint;
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
