#include "report.hpp"

#include <llvm/Demangle/Demangle.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <utility>

namespace cppc {

namespace {

std::string place(const ir::Program& program, const ir::Position& where) {
  if (where.file == ir::none) return "(unknown place)";
  return program.files[where.file] + ":" + std::to_string(where.line) + ":" + std::to_string(where.column);
}

std::string loop_place(const ir::Program& program, ir::Index loop) { return place(program, program.loops[loop].where); }

/// The name of a function as the source has it, without parameters.
std::string shown(const std::string& name) {
  llvm::ItaniumPartialDemangler demangler;
  if (demangler.partialDemangle(name.c_str()) || !demangler.isFunction()) return name;
  const std::unique_ptr<char, decltype(&std::free)> text(demangler.getFunctionName(nullptr, nullptr), &std::free);
  return text == nullptr ? name : text.get();
}

nlohmann::json saved_objects(const ir::Program& program, const analysis::Effects& effects, ir::Index marker,
                             const analysis::Objects& objects) {
  const analysis::Reasons reasons = analysis::reasons(program, effects, marker, objects);
  nlohmann::json saved = nlohmann::json::array();
  for (const unsigned object : objects) {
    const auto node = static_cast<ir::Node>(object);
    nlohmann::json one{{"name", program.names.at(node)}, {"declared", place(program, program.places.at(node))}};
    if (const auto type = program.types.find(node); type != program.types.end()) {
      one["type"] = type->second;
      one["size"] = "sizeof(" + type->second + ")";
    } else {
      one["size"] = "of the blocks that exist";
    }
    const auto reason = reasons.find(node);
    const bool known = reason != reasons.end() && reason->second.file != ir::none;
    one["live"] = known ? "read at " + place(program, reason->second) : "read after this function, or in what it calls";
    saved.push_back(std::move(one));
  }
  return saved;
}

void print_saved(const nlohmann::json& saved, std::ostream& out) {
  for (const auto& object : saved)
    out << "  saved: " << object.at("name").get<std::string>() << ", " << object.value("type", "heap") << ", "
        << object.at("size").get<std::string>() << " (" << object.at("declared").get<std::string>()
        << "): " << object.at("live").get<std::string>() << "\n";
}

void print_dead(const nlohmann::json& point, std::ostream& out) {
  for (const auto& one : point.value("dead", nlohmann::json::array()))
    out << "  dead: " << one.at("what").get<std::string>() << ", " << one.at("size").get<std::string>() << ": "
        << one.at("why").get<std::string>() << "\n";
  if (point.contains("untold")) out << "  nothing is called dead: " << point.at("untold").get<std::string>() << "\n";
}

}  // namespace

nlohmann::json report_json(const ir::Program& program, const analysis::Effects& effects, const analysis::Plan& plan) {
  nlohmann::json json;
  json["safe_points"] = nlohmann::json::array();
  for (std::size_t p = 0; p < plan.points.size(); ++p) {
    const analysis::SafePoint& point = plan.points[p];
    const ir::Marker& marker = program.markers[point.marker];
    json["safe_points"].push_back({{"number", p + 1},
                                   {"function", shown(program.functions[marker.function].name)},
                                   {"where", place(program, marker.where)},
                                   {"why", point.reason},
                                   {"proved", point.proved},
                                   {"saved", saved_objects(program, effects, point.marker, plan.live[p])}});
  }
  json["routines"] = nlohmann::json::array();
  for (const analysis::Routine& routine : plan.routines) {
    nlohmann::json places = nlohmann::json::array();
    for (const analysis::Place& at : routine.places)
      places.push_back({{"where", place(program, program.markers[at.marker].where)},
                        {"saved", saved_objects(program, effects, at.marker, at.locals)}});
    json["routines"].push_back(
        {{"function", shown(program.functions[routine.function].name)}, {"places", std::move(places)}});
  }
  json["rejected"] = nlohmann::json::array();
  for (const auto& [loop, why] : plan.rejected)
    json["rejected"].push_back({{"where", loop_place(program, loop)}, {"why", why}});
  json["refusals"] = nlohmann::json::array();
  for (const auto& [where, what, advice] : plan.refusals)
    json["refusals"].push_back({{"where", place(program, where)}, {"what", what}, {"advice", advice}});
  return json;
}

nlohmann::json report_json(const ir::Program& program, const analysis::Effects& effects, const analysis::Plan& plan,
                           const std::vector<rewrite::Mark>& marks, const std::vector<frontend::LeftOut>& left_out) {
  nlohmann::json json = report_json(program, effects, plan);
  for (std::size_t p = 0; p < marks.size(); ++p) {
    nlohmann::json& point = json["safe_points"][p];
    point["dead"] = nlohmann::json::array();
    for (const auto& [what, bytes, why] : marks[p].dead)
      point["dead"].push_back({{"what", what}, {"size", bytes}, {"why", why}});
    for (const ir::Node object : marks[p].unnamed)
      point["saved"].push_back({{"name", program.names.at(object)},
                                {"declared", place(program, program.places.at(object))},
                                {"type", program.types.at(object)},
                                {"size", "sizeof(" + program.types.at(object) + ")"},
                                {"live", "not needed any more, but it cannot be named here"}});
    if (!plan.untold[p].empty()) point["untold"] = plan.untold[p];
  }
  json["left_out"] = left_out_json(left_out);
  return json;
}

nlohmann::json left_out_json(const std::vector<frontend::LeftOut>& left_out) {
  auto json = nlohmann::json::array();
  for (const frontend::LeftOut& one : left_out) json.push_back(one.text());
  return json;
}

void print_report(const nlohmann::json& report, std::ostream& out) {
  const auto text = [](const nlohmann::json& of, const char* key) { return of.at(key).get<std::string>(); };
  for (const auto& point : report.at("safe_points")) {
    out << text(point, "where") << ": safe point " << point.at("number") << " in " << text(point, "function")
        << "(): " << text(point, "why") << "\n";
    print_saved(point.at("saved"), out);
    print_dead(point, out);
  }
  for (const auto& routine : report.at("routines"))
    for (const auto& at : routine.at("places")) {
      out << text(at, "where") << ": " << text(routine, "function") << "() saves of its own\n";
      print_saved(at.at("saved"), out);
    }
  for (const auto& loop : report.at("rejected"))
    out << text(loop, "where") << ": no safe point: " << text(loop, "why") << "\n";
  for (const auto& file : report.value("left_out", nlohmann::json::array())) out << file.get<std::string>() << "\n";
  if (report.contains("left_out") && report.at("safe_points").empty())
    out << "no marked safe point: ranks stop at calls of MPI or by a signal\n";
}

void print_problems(const ir::Program& program, const analysis::Plan& plan, std::ostream& out) {
  for (const auto& [where, what, advice] : plan.refusals)
    out << place(program, where) << ": error: " << what << ": " << advice << "\n";
  for (const auto& [where, what] : plan.warnings) out << place(program, where) << ": warning: " << what << "\n";
  for (const analysis::SafePoint& point : plan.points)
    if (!point.proved)
      out << place(program, program.markers[point.marker].where) << ": warning: safe point " << point.reason << "\n";
}

void print_no_safe_point(const ir::Program& program, const analysis::Plan& plan, std::ostream& out) {
  out << "cppc: warning: no safe point found: the program runs, and cannot be moved\n";
  for (const auto& [loop, why] : plan.rejected)
    out << loop_place(program, loop) << ": note: not in this loop: " << why << "\n";
}

namespace {

/// Files that are left out for one reason, the first one's: just as that one, or since they use its modules.
struct LeftOutTogether {
  frontend::LeftOut first;
  std::size_t files = 0, alike = 0;
};

std::vector<LeftOutTogether> by_reason(const std::vector<frontend::LeftOut>& left_out) {
  std::vector<LeftOutTogether> groups;
  const auto reason = [](const frontend::LeftOut& one) { return one.cause.empty() ? one.why : one.cause; };
  for (const frontend::LeftOut& one : left_out) {
    auto group = std::ranges::find_if(groups, [&](const auto& other) { return reason(other.first) == reason(one); });
    if (group == groups.end()) group = groups.insert(group, {.first = one});
    ++group->files;
    if (one.why == group->first.why) ++group->alike;
  }
  return groups;
}

}  // namespace

void print_left_out(const std::vector<frontend::LeftOut>& left_out, std::ostream& out) {
  for (const auto& [first, files, alike] : by_reason(left_out)) {
    out << "cppc: warning: " << first.text();
    if (files > 1)
      out << "; so " << (files == 2 ? "is 1 other file" : "are " + std::to_string(files - 1) + " other files");
    if (alike < files)
      out << (files == 2 ? ", which uses" : alike == 1 ? ", which use" : ", some of which use") << " its modules";
    out << "\n";
  }
  if (left_out.empty()) return;
  const bool one = left_out.size() == 1;
  out << "cppc: note: " << (one ? "such a file has" : std::to_string(left_out.size()) + " such files have")
      << " no safe points, and nothing of " << (one ? "its" : "their")
      << " data is said to be dead; ranks can be moved all the same\n";
}

}  // namespace cppc
