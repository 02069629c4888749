/// Rewriting of one translation unit.
#pragma once

#include <optional>
#include <set>

#include "analysis/plan.hpp"
#include "frontend/source.hpp"

namespace cppc::rewrite {

struct Mark;

struct Rewriting {
  ir::Program& program;
  frontend::Source& source;
  const models::Models& models;
  const analysis::PointsTo& points_to;
  const analysis::Plan& plan;
  const std::vector<Mark>* marks = nullptr;  ///< with state by address: all that is inserted
};

/// The unit's new text, or nothing when it needs no change. What cannot be handled is appended to `refusals`.
std::optional<std::string> rewrite_unit(const Rewriting& rewriting, ir::Index unit,
                                        std::vector<analysis::Refusal>& refusals);

}  // namespace cppc::rewrite
