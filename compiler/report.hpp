/// What the translator found, for people and for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>

#include "analysis/plan.hpp"

namespace cppc {

/// Of a plan, as JSON: safe points, what each place saves and why, loops that were not taken, refusals.
nlohmann::json report_json(const ir::Program& program, const analysis::Effects& effects, const analysis::Plan& plan);

/// The same, for people.
void print_report(const nlohmann::json& report, std::ostream& out);

/// Refusals and warnings, one line each, as compilers print them.
void print_problems(const ir::Program& program, const analysis::Plan& plan, std::ostream& out);

/// Why there is no safe point.
void print_no_safe_point(const ir::Program& program, const analysis::Plan& plan, std::ostream& out);

}  // namespace cppc
