#include "report.hpp"

#include <cmath>
#include <cstdio>

namespace cppc::bench {
namespace {

double megabytes(double bytes) { return std::round(bytes) / 1e6; }

/// Three digits after the point.
double rounded(double ratio) { return std::round(ratio * 1000) / 1000; }

}  // namespace

Sizes sizes_of(const nlohmann::json& measured) {
  Sizes sizes{measured.at("saved").get<double>(), measured.at("reachable").get<double>(), 0};
  for (const auto& object : measured.at("objects"))
    if (object.at("section") == "runtime") sizes.tables += object.at("bytes").get<double>();
  sizes.saved -= sizes.tables;
  return sizes;
}

void print_heading(const std::string& last) {
  std::printf("%-8s %12s %12s %8s %12s %8s %10s %8s  %s\n", "program", "saved", "by hand", "ratio", "reachable", "%",
              "tables", last.c_str(), "by hand");
}

void print_line(const std::string& name, const Sizes& sizes, const std::vector<Saved>& by_hand,
                std::optional<double> other) {
  const double live = total(by_hand);
  std::printf("%-8s %12.6f ", name.c_str(), sizes.saved / 1e6);
  if (by_hand.empty()) {
    std::printf("%12s %8s ", "?", "?");
  } else {
    std::printf("%12.6f %8.3f ", live / 1e6, sizes.saved / live);
  }
  std::printf("%12.6f %8.1f %10.6f ", sizes.reachable / 1e6, 100 * sizes.saved / sizes.reachable, sizes.tables / 1e6);
  std::printf("%8s ", other ? std::to_string(*other).substr(0, 5).c_str() : "");
  for (const Saved& one : by_hand) std::printf(" %s %.6f", one.what.c_str(), one.bytes / 1e6);
  std::printf("\n");
  std::fflush(stdout);
}

void add_figures(nlohmann::ordered_json& figures, const std::string& name, const Sizes& sizes,
                 const std::vector<Saved>& by_hand) {
  figures["saved_mb"][name] = megabytes(sizes.saved);
  figures["reachable_mb"][name] = megabytes(sizes.reachable);
  if (by_hand.empty()) return;
  figures["live_mb"][name] = megabytes(total(by_hand));
  figures["ratio"][name] = rounded(sizes.saved / total(by_hand));
}

}  // namespace cppc::bench
