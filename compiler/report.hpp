/// What the translator found, for people and for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>

#include "frontend/left_out.hpp"
#include "rewrite/marks.hpp"

namespace cppc {

/// Of a plan, as JSON: safe points, what each place saves and why, loops that were not taken, refusals.
nlohmann::json report_json(const ir::Program& program, const analysis::Effects& effects, const analysis::Plan& plan);

/// The same with state by address: what is dead at each safe point as well; `left_out`: files that are not looked at.
nlohmann::json report_json(const ir::Program& program, const analysis::Effects& effects, const analysis::Plan& plan,
                           const std::vector<rewrite::Mark>& marks, const std::vector<frontend::LeftOut>& left_out);

/// `left_out` as it is there.
nlohmann::json left_out_json(const std::vector<frontend::LeftOut>& left_out);

/// The same, for people.
void print_report(const nlohmann::json& report, std::ostream& out);

/// Refusals and warnings, one line each, as compilers print them.
void print_problems(const ir::Program& program, const analysis::Plan& plan, std::ostream& out);

/// Warnings of files that are not looked at: of those with the same reason the first, and how many more.
void print_left_out(const std::vector<frontend::LeftOut>& left_out, std::ostream& out);

/// That there is no safe point, and what follows from that; why.
void print_no_safe_point(const ir::Program& program, const analysis::Plan& plan, std::ostream& out);

}  // namespace cppc
