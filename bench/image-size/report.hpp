/// What is told of one image.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "loads.hpp"

namespace cppc::bench {

/// Bytes.
struct Sizes {
  double saved;      ///< what of the program's state goes into the image
  double reachable;  ///< global variables, the stack and the used part of the heap
  double tables;     ///< the runtime's own part of the image, on top: types, and a table of the heap
};

/// Of what test::measure() returns.
Sizes sizes_of(const nlohmann::json& measured);

void print_heading(const std::string& last);
/// `other` in MB, where there is one.
void print_line(const std::string& name, const Sizes& sizes, const std::vector<Saved>& by_hand,
                std::optional<double> other = {});

/// Into the objects saved_mb, reachable_mb, and live_mb and ratio if it is known what is live.
void add_figures(nlohmann::ordered_json& figures, const std::string& name, const Sizes& sizes,
                 const std::vector<Saved>& by_hand);

}  // namespace cppc::bench
