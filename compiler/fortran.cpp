#include "fortran.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>

#include "analysis/plan.hpp"
#include "fail.hpp"
#include "frontend/fortran/goto_loops.hpp"
#include "frontend/fortran/labels.hpp"
#include "frontend/fortran/lower.hpp"
#include "frontend/fortran/options.hpp"
#include "frontend/fortran/pointers.hpp"
#include "program_files.hpp"
#include "read_text.hpp"
#include "report.hpp"
#include "rewrite/fortran/insert.hpp"
#include "temporary_directory.hpp"

namespace cppc {

namespace {

namespace fs = std::filesystem;

using fortran::Index;
using rewrite::fortran::Point;

/// The file that a line includes, in Fortran's way or the preprocessor's; empty if it includes none.
std::string_view included_by(std::string_view line) {
  static constexpr std::string_view blanks = " \t", word = "include", quotes = "'\"";
  const auto skip_blanks = [&line] { line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size())); };
  const auto in_lower_case = [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); };
  skip_blanks();
  if (line.starts_with('#')) line.remove_prefix(1);
  skip_blanks();
  if (!std::ranges::equal(line.substr(0, word.size()), word, {}, in_lower_case)) return {};
  line.remove_prefix(word.size());
  skip_blanks();
  if (line.empty() || quotes.find(line.front()) == std::string_view::npos) return {};
  line.remove_prefix(1);
  const std::size_t end = line.find_first_of(quotes);
  return end == std::string_view::npos ? std::string_view() : line.substr(0, end);
}

/// The module that a line uses, in small letters; empty if it uses none.
std::string used_by(std::string_view line) {
  static const std::regex use(R"(\s*use\s*(?:(?:,\s*non_intrinsic\s*)?::)?\s*(\w+).*)", std::regex::icase);
  std::cmatch match;
  if (line.size() > 1000 || !std::regex_match(line.data(), line.data() + line.size(), match, use)) return {};
  std::string name = match[1].str();
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

/// Whether INCLUDE in a file that is itself included names two files: gfortran takes the first one in the order of
/// directories, flang the one beside the file.
bool names_two_files(std::string_view line, const fs::path& included, const fs::path& from,
                     const fortran::Options& options) {
  if (line.substr(line.find_first_not_of(" \t")).starts_with('#')) return false;
  const fs::path beside = from.parent_path() / included;
  const auto first = std::ranges::find_if(
      options.includes, [&](const std::string& directory) { return fs::exists(fs::path(directory) / included); });
  if (first == options.includes.end() || !fs::exists(beside)) return false;
  return read_text(fs::path(*first) / included) != read_text(beside);
}

/// Why what was compiled may not be what would be looked at, by what the file includes. `seen`: files that are
/// included.
std::string why_unlike(const fs::path& file, const fortran::Options& options, std::int64_t compiled,
                       const std::string& object, std::set<fs::path>& seen) {
  const std::string text = read_text(file).value_or("");
  for (const char* macro : {"__COUNTER__", "__BASE_FILE__", "__INCLUDE_LEVEL__"})  // flang has none of them
    if (options.preprocessed && text.find(macro) != std::string::npos)
      return file.string() + " asks for " + macro + ", which is not followed";
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (const std::string module = used_by(line); !module.empty())
      for (const std::string& directory : options.modules)
        if (const fs::path path = fs::path(directory) / (module + ".mod"); is_newer(path, compiled))
          return path.string() + " is newer than " + object;
    const std::string_view included = included_by(line);
    if (included.empty()) continue;
    if (seen.contains(file) && names_two_files(line, included, file, options))
      return std::string(included) + ", which " + file.string() + " includes, is in several directories";
    for (const std::string& directory : options.includes) {
      const fs::path path = fs::path(directory) / included;
      if (!fs::exists(path) || !seen.insert(path).second) continue;
      if (is_newer(path, compiled)) return path.string() + " is newer than " + object;
      if (std::string why = why_unlike(path, options, compiled, object, seen); !why.empty()) return why;
    }
  }
  return {};
}

void leave_out_unlike(FortranProgram& program) {
  for (std::size_t i = 0; i < program.commands.size(); ++i) {
    fortran::Command& command = program.commands[i];
    if (command.arguments.empty()) continue;
    std::set<fs::path> seen;
    const std::string why = why_unlike(fs::path(command.directory) / command.file, options_of(command),
                                       program.compiled[i], program.objects[i], seen);
    if (why.empty()) continue;
    program.left_out.push_back({command.file, why});
    command.arguments.clear();
  }
}

/// Names that code may use which is not in `tree`; nothing when that cannot be said.
void find_names_outside(const FortranProgram& program, fortran::Program& tree) {
  tree.outside = program.outside;
  if (tree.outside && tree.outside->contains("*"))
    tree.unclear = "sources in another language are compiled in the same command (compile them to objects before)";
  for (Index i = 0; tree.outside && i < program.commands.size(); ++i) {
    if (std::ranges::find(tree.read_files, i) != tree.read_files.end() && !tree.with_submodules.contains(i)) continue;
    if (i < program.names.size() && program.names[i])
      tree.outside->insert(program.names[i]->begin(), program.names[i]->end());
    else
      tree.outside.reset();
  }
}

std::string storage_of(const fortran::Symbol& symbol) {
  using Storage = fortran::Symbol::Storage;
  switch (symbol.storage) {
    case Storage::common:
      return "COMMON " + symbol.linker_name;
    case Storage::module:
      return "module, " + symbol.linker_name;
    default:
      return "local";
  }
}

/// What MPI's header declares is the library's.
bool is_of_mpi(const fortran::Symbol& symbol) { return symbol.linker_name.starts_with("mpi_fortran_"); }

/// Of arrays that are smaller, in bytes, programs have hundreds: no more than so many are named.
constexpr std::uint64_t kSmall = 1024;
constexpr std::size_t kMostSmall = 10;

/// Larger ones have a place that lasts.
bool is_on_stack(const fortran::Symbol& symbol) {
  constexpr std::uint64_t kMostOnStack = 65536;  // gfortran's -fmax-stack-var-size
  return symbol.storage == fortran::Symbol::Storage::local && symbol.bytes <= kMostOnStack &&
         symbol.procedure != fortran::none;
}

class Translator {
 public:
  Translator(const FortranProgram& program, const fortran::Program& tree, const fortran::Lowered& lowered,
             const fortran::Flow& flow)
      : program_(program), tree_(tree), lowered_(lowered), flow_(flow) {}

  nlohmann::json add_point(std::size_t number, const analysis::SafePoint& safe, const std::string& untold,
                           const std::map<Index, fortran::Ways>& dead) {
    const auto& marker = lowered_.program.markers[safe.marker];
    const auto& [procedure, loop] = lowered_.sites[marker.handle];
    Point point{.number = static_cast<unsigned>(number),
                .file = tree_.procedures[procedure].file,
                .line = loop->inside.text_line,
                .column = loop->inside.column,
                .label = loop->labelled ? loop->label : 0};
    const fortran::Options options = options_of(program_.commands[point.file]);
    const bool modern = options.modern;
    point.has_interface = modern && (options.declares || wants_declarations(point.file));
    rewrite::fortran::write_routine(tree_, flow_, {procedure, modern}, dead, point, externals_);
    nlohmann::json entry;
    for (const auto& [what, bytes, why] : point.dead)
      entry["dead"].push_back(
          {{"what", what}, {"size", bytes > 0 ? std::to_string(bytes) : "as allocated"}, {"why", why}});
    entry["saved"] = saved_at(procedure, point);
    if (!untold.empty()) entry["untold"] = untold;
    points_.push_back(std::move(point));
    return entry;
  }

  void finish(FortranTranslation& made) {
    std::map<Index, std::vector<const Point*>> by_file;
    for (const Point& point : points_) by_file[point.file].push_back(&point);
    std::vector<const Point*> obstacles;
    for (const auto& [file, points] : by_file) {
      const fortran::Command& command = program_.commands[file];
      const std::string text = read_text(fs::path(command.directory) / command.file).value_or("");
      std::string changed =
          rewrite::fortran::insert(text, command.file, options_of(command).fixed_form, points, obstacles);
      if (changed != text) made.texts[file] = std::move(changed);
    }
    std::set<unsigned> not_inserted;
    for (const Point* point : obstacles) {
      not_inserted.insert(point->number);
      std::cerr << "cppc: warning: no safe point at " << program_.commands[point->file].file << ":" << point->line
                << ": there is something else on the line\n";
    }
    std::erase_if(points_, [&](const Point& point) { return not_inserted.contains(point.number); });
    if (!points_.empty()) made.companion = rewrite::fortran::companion(points_, externals_);
  }

 private:
  nlohmann::json saved_at(Index procedure, const Point& point) const {
    auto saved = nlohmann::json::array(), small = nlohmann::json::array();
    const std::vector<bool> active = flow_.perhaps_active(procedure);
    for (const fortran::Symbol& symbol : tree_.symbols) {
      if (is_of_mpi(symbol) || symbol.constant || (is_on_stack(symbol) && !active[symbol.procedure])) continue;
      const auto is_it = [&](const auto& dead) { return dead.what == symbol.name && dead.bytes == symbol.bytes; };
      const bool described = symbol.descriptor != fortran::Symbol::Descriptor::none;
      if (!symbol.array || (symbol.bytes == 0 && !described) || symbol.view_of != fortran::none ||
          symbol.storage == fortran::Symbol::Storage::dummy || std::ranges::any_of(point.dead, is_it))
        continue;
      auto& list = !described && symbol.bytes < kSmall ? small : saved;
      list.push_back({{"name", symbol.name},
                      {"declared", storage_of(symbol)},
                      {"type", "an array"},
                      {"size", described ? "as allocated" : std::to_string(symbol.bytes)},
                      {"live", symbol.unclear.empty() ? "perhaps read later" : symbol.unclear}});
    }
    if (small.size() > kMostSmall)
      small = nlohmann::json::array({nlohmann::json{{"name", std::to_string(small.size()) + " arrays"},
                                                    {"declared", "anywhere"},
                                                    {"type", "arrays"},
                                                    {"size", "less than " + std::to_string(kSmall) + " bytes each"},
                                                    {"live", "perhaps read later"}}});
    saved.insert(saved.end(), small.begin(), small.end());
    return saved;
  }

  /// Whether procedures without an interface are to be declared somewhere in the file: IMPLICIT NONE (EXTERNAL).
  bool wants_declarations(Index file) {
    const auto [known, is_new] = wants_declarations_.try_emplace(file, false);
    if (!is_new) return known->second;
    static const std::regex external(R"(implicit\s*none\s*\([^)]*external)", std::regex::icase);
    const fortran::Command& command = program_.commands[file];
    const auto text = read_text(fs::path(command.directory) / command.file);
    return known->second = std::regex_search(text.value_or(""), external);
  }

  const FortranProgram& program_;
  const fortran::Program& tree_;
  const fortran::Lowered& lowered_;
  const fortran::Flow& flow_;
  std::vector<Point> points_;
  std::set<std::string> externals_;
  std::map<Index, bool> wants_declarations_;  ///< by file
};

/// That nothing is done about the others is no surprise.
std::vector<frontend::LeftOut> those_in_fortran(std::vector<frontend::LeftOut> left_out) {
  std::erase_if(left_out, [](const frontend::LeftOut& one) { return !is_fortran(one.file); });
  return left_out;
}

}  // namespace

bool is_fortran(const std::string& file) {
  static const std::set<std::string> suffixes = {".f", ".for", ".ftn", ".fpp", ".f77", ".f90", ".f95", ".f03", ".f08",
                                                 ".F", ".FOR", ".FTN", ".FPP", ".F77", ".F90", ".F95", ".F03", ".F08"};
  return suffixes.contains(fs::path(file).extension().string());
}

FortranTranslation translate_fortran(const FortranProgram& given, const models::Models& models,
                                     std::uint64_t most_steps) {
  FortranProgram program = given;
  leave_out_unlike(program);
  const auto for_modules = TemporaryDirectory::make("cppc-modules");
  if (!for_modules) fail(for_modules.error());
  fortran::Program tree =
      fortran::read(program.commands, program.modules, program.intrinsic_modules, for_modules->path());
  tree.left_out.insert(tree.left_out.end(), program.left_out.begin(), program.left_out.end());
  tree.incomplete = !those_in_fortran(tree.left_out).empty() || !tree.with_submodules.empty();
  fortran::find_goto_loops(tree);
  fortran::drop_unused_labels(tree);
  find_names_outside(program, tree);
  fortran::settle_pointers(tree);
  print_left_out(those_in_fortran(tree.left_out), std::cerr);
  const fortran::Lowered lowered = fortran::lower(tree, models);
  FortranTranslation made;
  made.report = {{"safe_points", nlohmann::json::array()},
                 {"routines", nlohmann::json::array()},
                 {"rejected", nlohmann::json::array()},
                 {"refusals", nlohmann::json::array()},
                 {"left_out", left_out_json(tree.left_out)}};
  for (const Index file : tree.with_submodules)
    made.report["left_out"].push_back(program.commands[file].file + ": what its submodules do is not followed");
  if (!analysis::calls_mpi(lowered.program)) return made;
  const analysis::PointsTo points_to(lowered.program, models, analysis::PointsTo::Precision::full, most_steps);
  if (!points_to.complete()) {
    std::cerr << "cppc: warning: the program is too large for what its procedures are given to be followed\n";
    return made;
  }
  const analysis::Effects effects(lowered.program, models, points_to);
  const analysis::Traffic traffic(lowered.program, models, points_to);
  analysis::Overwrites overwrites(lowered.program, models, points_to, effects);
  analysis::Plan plan = make_plan_by_address(lowered.program, models, points_to, effects, traffic, overwrites);
  for (analysis::Objects& live : plan.live) live.clear();
  made.report.update(report_json(lowered.program, effects, plan));
  fortran::Flow flow(tree, models, most_steps);
  Translator translator(program, tree, lowered, flow);
  for (std::size_t p = 0; p < plan.points.size(); ++p) {
    const auto& [procedure, loop] = lowered.sites[lowered.program.markers[plan.points[p].marker].handle];
    const bool in_flight = !plan.points[p].proved;
    std::string untold = in_flight ? flow.unclear() : plan.untold[p].empty() ? flow.unclear() : plan.untold[p];
    const auto dead = untold.empty() ? flow.at(procedure, *loop, in_flight) : std::map<Index, fortran::Ways>();
    if (untold.empty()) untold = flow.unclear();
    made.report["safe_points"][p].update(translator.add_point(p + 1, plan.points[p], untold, dead));
  }
  if (!flow.complete())
    std::cerr << "cppc: warning: " << flow.unclear() << ": none is said to be dead where it may stop\n";
  translator.finish(made);
  return made;
}

}  // namespace cppc
