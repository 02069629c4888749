/// A report beside the source that it is about: one HTML page without scripts and without other files.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>

namespace cppc {

/// `report`: of report_json(). Files that cannot be read are shown without their lines.
void print_html(const nlohmann::json& report, std::ostream& out);

}  // namespace cppc
