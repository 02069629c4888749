/// cppc: makes MPI programs in C movable.

#include <clang/Basic/Version.h>
#include <llvm/Support/PrettyStackTrace.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/heap.hpp"
#include "analysis/instances.hpp"
#include "analysis/plan.hpp"
#include "fail.hpp"
#include "fortran.hpp"
#include "frontend/source.hpp"
#include "program_files.hpp"
#include "read_text.hpp"
#include "report.hpp"
#include "report_html.hpp"
#include "rewrite/marks.hpp"
#include "rewrite/unit.hpp"
#include "standard_output.hpp"

namespace cppc {
namespace {

namespace fs = std::filesystem;

/// Exit statuses, beside kRefused.
enum Status { kTranslated = 0, kUsage = 2, kNothingToDo = 3 };

/// Bounds for programs whose state is kept by address, which need no translation: seconds of processor time, for all
/// and for each source, which its compiler takes longer for, and bytes, or a share of the machine's memory if that is
/// more.
constexpr rlim_t kMostSeconds = 30, kMostSecondsPerFile = 4, kMostBytes = rlim_t{6} << 30, kShareOfMemory = 3;

constexpr const char* kTooLarge = "the program is too large for its pointers to be followed";

/// Of the stack: Clang and the analyses go down into nested source by recursion.
constexpr rlim_t kStack = rlim_t{96} << 20;

/// Allocation wrappers around allocation wrappers that are told apart by their callers.
constexpr int kWrapperDepth = 3;

struct Settings {
  std::string program, into, report, output, outside;
  std::vector<std::string> files, models;
  bool by_address = false;
  std::uint64_t most_steps = 500'000'000;
  bool renamed = false;
};

/// What is installed with this program.
fs::path shared_directory() { return fs::read_symlink("/proc/self/exe").parent_path() / CPPC_SHARED_FROM_PROGRAMS; }

/// A header of the unit that is newer than its object was when it was made: what was compiled is not what would be
/// translated. That object may be another one by now, or in an archive.
std::string newer_header(const clang::SourceManager& manager, std::int64_t compiled) {
  for (auto file = manager.fileinfo_begin(); file != manager.fileinfo_end(); ++file)
    if (const std::string path = file->first.getFileEntry().tryGetRealPathName().str(); is_newer(path, compiled))
      return path;
  return {};
}

void leave_out_newer(frontend::Source& source, const Files& files) {
  std::erase_if(source.units, [&](const frontend::Unit& unit) {
    const std::string header = newer_header(unit.ast->getSourceManager(), files.compiled[unit.number]);
    if (header.empty()) return false;
    source.left_out.push_back({unit.command.file, header + " is newer than " + files.objects[unit.number]});
    return true;
  });
}

models::Models read_models(const std::vector<std::string>& more) {
  models::Models models;
  const fs::path shared = shared_directory();
  for (const char* file : {"c.toml", "cxx.toml", "mpi.toml"})
    if (const auto read = models.read(shared / file); !read) fail(read.error());
  for (const std::string& file : more)
    if (const auto read = models.read(file); !read) fail("--models: " + read.error(), kUsage);
  return models;
}

void write(const fs::path& file, const std::string& text) {
  std::ofstream out(file);
  out << text;
  out.close();
  if (!out) fail("cannot write " + file.string());
}

void write_report(const Settings& settings, const nlohmann::json& report) {
  if (!settings.into.empty()) {
    fs::create_directories(settings.into);
    write(fs::path(settings.into) / "report.json", report.dump(2) + "\n");
  }
  if (settings.report == "json") std::cout << report.dump(2) << "\n";
  if (settings.report == "text") print_report(report, std::cout);
  if (settings.report == "html") print_html(report, std::cout);
}

void print_unused_pragmas(const frontend::Source& source) {
  for (const frontend::Unit& unit : source.units)
    for (const frontend::Pragma& pragma : unit.pragmas)
      if (!pragma.used)
        std::cerr << unit.command.file << ":" << pragma.line << ": warning: '#pragma cppc " << pragma.word
                  << "' has no effect here: 'checkpoint' and 'off' stand before a loop, 'execute' before a call\n";
}

const char* extension(const frontend::Unit& unit) { return unit.ast->getLangOpts().CPlusPlus ? ".cpp" : ".c"; }

void write_texts(const Settings& settings, const frontend::Source& source,
                 const std::vector<std::optional<std::string>>& texts) {
  for (std::size_t unit = 0; unit < texts.size(); ++unit) {
    if (!texts[unit]) continue;
    if (!settings.into.empty())
      write(fs::path(settings.into) / (std::to_string(source.units[unit].number) + extension(source.units[unit])),
            *texts[unit]);
    else if (!settings.output.empty())
      write(settings.output, *texts[unit]);
    else if (settings.report.empty())
      std::cout << *texts[unit];
  }
}

/// Who asks for one file gets it, changed or not.
void write_unchanged(const Settings& settings, const std::vector<frontend::Command>& commands) {
  if (!settings.into.empty() || commands.size() != 1) return;
  const fs::path file = fs::path(commands.front().directory) / commands.front().file;
  const auto text = read_text(file);
  if (!text) fail("cannot read " + file.string());
  if (!settings.output.empty())
    write(settings.output, *text);
  else if (settings.report.empty())
    std::cout << *text;
}

/// With state by address: nothing is refused, and what cannot be looked at is left as it is.
int mark(const Settings& settings, const std::vector<frontend::Command>& commands, rewrite::Rewriting rewriting,
         const analysis::Effects& effects) {
  const std::vector<rewrite::Mark> marks = make_marks(rewriting);
  rewriting.marks = &marks;
  const nlohmann::json report =
      report_json(rewriting.program, effects, rewriting.plan, marks, rewriting.source.left_out);
  std::vector<analysis::Refusal> unwritten;
  std::vector<std::optional<std::string>> texts;
  for (ir::Index unit = 0; unit < rewriting.source.units.size(); ++unit)
    texts.push_back(rewrite_unit(rewriting, unit, unwritten));
  for (const auto& [where, what, advice] : unwritten)
    std::cerr << "cppc: warning: no safe point at line " << where.line << ": " << what << "\n";
  if (!rewriting.source.left_out.empty() || !marks.empty()) print_unused_pragmas(rewriting.source);
  write_report(settings, report);
  write_texts(settings, rewriting.source, texts);
  const bool unchanged = std::ranges::none_of(texts, [](const auto& text) { return text.has_value(); });
  if (unchanged) write_unchanged(settings, commands);
  return kTranslated;
}

void limit(int resource, rlim_t most) {
  rlimit present{};
  if (getrlimit(resource, &present) != 0 || present.rlim_cur < most) return;
  present.rlim_cur = std::min(most, present.rlim_max);
  setrlimit(resource, &present);
}

rlim_t most_bytes() {
  const auto memory = static_cast<rlim_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
  return std::max(kMostBytes, memory / kShareOfMemory);
}

/// The stack may grow so far; a smaller limit is raised.
void allow_stack() {
  rlimit present{};
  if (getrlimit(RLIMIT_STACK, &present) != 0 || present.rlim_cur >= kStack) return;
  present.rlim_cur = std::min(kStack, present.rlim_max);
  setrlimit(RLIMIT_STACK, &present);
}

/// Where pointers lead to; no more than that they may lead anywhere, when it takes too long to follow them.
std::unique_ptr<analysis::PointsTo> follow_pointers(ir::Program& program, const models::Models& models,
                                                    std::uint64_t most_steps) {
  using analysis::PointsTo;
  if (!program.by_address) return std::make_unique<PointsTo>(program, models);
  if (program.unclear != kTooLarge) {
    auto found = std::make_unique<PointsTo>(program, models, PointsTo::Precision::full, most_steps);
    if (found->complete()) return found;
    std::cerr << "cppc: warning: " << kTooLarge << ": nothing is said to be dead at its safe points\n";
    program.unclear = kTooLarge;
  }
  return std::make_unique<PointsTo>(program, models, PointsTo::Precision::coarse);
}

/// A program of which nobody can say where its loops communicate.
int leave_alone(const Settings& settings, const std::vector<frontend::Command>& commands,
                const frontend::Source& source) {
  nlohmann::json report{{"safe_points", nlohmann::json::array()},
                        {"routines", nlohmann::json::array()},
                        {"rejected", nlohmann::json::array()},
                        {"refusals", nlohmann::json::array()},
                        {"left_out", left_out_json(source.left_out)}};
  write_report(settings, report);
  write_unchanged(settings, commands);
  return kTranslated;
}

/// One a line; nothing without a file.
std::optional<std::set<std::string>> read_names(const std::string& file) {
  if (file.empty()) return {};
  std::ifstream in(file);
  if (!in) fail("cannot read " + file);
  std::set<std::string> names;
  for (std::string line; std::getline(in, line);) names.insert(line);
  return names;
}

/// The files that change keep their suffix, which says in which form they are; companion.c is what they call.
int translate_as_fortran(const Settings& settings, const Files& files) {
  if (!settings.by_address) fail("Fortran is translated only for state that is kept by address (--by-address)");
  if (!settings.output.empty() || (settings.into.empty() && settings.report.empty()))
    fail("a Fortran program becomes several files: --into DIRECTORY writes them, --report=text tells about them",
         kUsage);
  FortranProgram program{.commands = {},
                         .objects = files.objects,
                         .compiled = files.compiled,
                         .left_out = files.left_out,
                         .names = files.names,
                         .outside = read_names(settings.outside),
                         .modules = {},
                         .intrinsic_modules = shared_directory() / "flang"};
  for (const frontend::Command& command : files.commands) {
    program.commands.push_back({command.directory, command.file, command.arguments, command.macros});
    if (is_fortran(command.file) || command.arguments.empty()) continue;
    program.commands.back().arguments.clear();
    program.left_out.push_back({command.file, "it is not in Fortran"});
  }
  for (const frontend::Command& command : files.modules)
    program.modules.push_back({command.directory, command.file, command.arguments, command.macros});
  const FortranTranslation made = translate_fortran(program, read_models(settings.models), settings.most_steps);
  write_report(settings, made.report);
  if (settings.into.empty()) return kTranslated;
  const fs::path into = settings.into;
  for (const auto& [number, text] : made.texts)
    write(into / (std::to_string(number) + fs::path(program.commands[number].file).extension().string()), text);
  if (!made.companion.empty()) write(into / "companion.c", made.companion);
  return kTranslated;
}

void check_output() {
  if (const std::string failure = output_failure(); !failure.empty()) fail(failure);
}

int translate(const Settings& settings, const Files& files) {
  const std::vector<frontend::Command>& commands = files.commands;
  allow_stack();
  if (settings.by_address) {
    limit(RLIMIT_CPU, kMostSeconds + kMostSecondsPerFile * commands.size());
    limit(RLIMIT_DATA, most_bytes());
  }
  if (std::ranges::any_of(commands, [](const auto& command) { return is_fortran(command.file); }))
    return translate_as_fortran(settings, files);
  const models::Models models = read_models(settings.models);
  const std::optional<std::uint64_t> most = settings.by_address ? std::optional(most_bytes()) : std::nullopt;
  auto source = frontend::parse(commands, CPPC_CLANG_RESOURCES, most);
  if (!source) fail(source.error());
  source->left_out.insert(source->left_out.end(), files.left_out.begin(), files.left_out.end());
  if (settings.by_address) leave_out_newer(*source, files);
  for (const frontend::Unit& unit : source->units)
    if (!settings.by_address && unit.ast->getLangOpts().CPlusPlus)
      fail(unit.command.file + ": C++ can only be looked at with --by-address");
  print_left_out(source->left_out, std::cerr);
  ir::Program program = frontend::lower(*source, models, settings.by_address);
  if (settings.renamed) program.unclear = "the linker gives names another meaning";
  if (settings.by_address && !analysis::calls_mpi(program)) return leave_alone(settings, commands, *source);
  analysis::add_heap_objects(program, models);
  auto found = follow_pointers(program, models, settings.most_steps);
  const auto follow_again = [&] {
    found.reset();  // both at once take much memory
    found = follow_pointers(program, models, settings.most_steps);
  };
  for (int depth = 0; depth < kWrapperDepth && analysis::add_wrapper_objects(program, models, *found); ++depth)
    follow_again();
  if (analysis::add_instances(program, models, *found)) follow_again();
  const analysis::PointsTo& points_to = *found;
  const analysis::Effects effects(program, models, points_to);
  const analysis::Traffic traffic(program, models, points_to);
  analysis::Overwrites overwrites(program, models, points_to, effects);
  if (settings.by_address) {
    const analysis::Plan plan =
        analysis::make_plan_by_address(program, models, points_to, effects, traffic, overwrites);
    return mark(settings, commands, {program, *source, models, points_to, plan}, effects);
  }
  analysis::Plan plan = analysis::make_plan(program, models, points_to, effects, traffic, overwrites);
  if (plan.points.empty()) {
    print_no_safe_point(program, plan, std::cerr);
    return kNothingToDo;
  }
  const rewrite::Rewriting rewriting{program, *source, models, points_to, plan};
  std::vector<std::optional<std::string>> texts;
  for (ir::Index unit = 0; unit < source->units.size(); ++unit)
    texts.push_back(rewrite_unit(rewriting, unit, plan.refusals));
  print_problems(program, plan, std::cerr);
  print_unused_pragmas(*source);
  write_report(settings, report_json(program, effects, plan));
  if (!plan.refusals.empty()) return kRefused;
  write_texts(settings, *source, texts);
  return kTranslated;
}

/// What is wrong with the value of an option, or nothing.
std::string wrong_number(const std::string& value) {
  std::uint64_t number = 0;
  const char* const end = value.data() + value.size();
  const auto [last, failure] = std::from_chars(value.data(), end, number);
  return failure == std::errc{} && last == end ? "" : "\"" + value + "\" is no whole number from 0 up";
}

void add_options(CLI::App& app, Settings& settings) {
  app.add_option(
      "files", settings.files,
      "C and, with --by-address, C++ files of the program; options for the compiler (-I, -D, -std) follow after --");
  app.add_option("-o,--output", settings.output, "write the translation of one file there (standard output)");
  app.add_option("--program", settings.program, "a compilation database with all files of the program");
  app.add_option("--into", settings.into,
                 "write <n>.c or <n>.cpp for each file that changes, and report.json, into this directory");
  app.add_flag(
      "--by-address", settings.by_address,
      "for state that is kept by address: write only where the program may stop, and what is dead there; refuse "
      "nothing");
  app.add_option("--most-steps", settings.most_steps,
                 "with --by-address: say nothing to be dead when following the pointers, or the arrays of Fortran, "
                 "takes more steps")
      ->check(wrong_number)
      ->capture_default_str();
  app.add_option(
      "--outside", settings.outside,
      "with --by-address, for Fortran: a file with the names, one a line, that the rest of what is linked has "
      "for the linker; without it, it may have any; a line * stands for names that are not known");
  app.add_flag("--renamed", settings.renamed,
               "the linker gives names of the program another meaning (--wrap, --defsym): say nothing to be dead");
  app.add_option("--models", settings.models, "more tables of functions (see share/cppc/c.toml), one file each")
      ->allow_extra_args(false);
  app.add_option("--report", settings.report,
                 "print safe points, live state and refusals: text, json, or html with the source beside")
      ->check(CLI::IsMember({"text", "json", "html"}));
  app.set_version_flag("--version", "cppc " CPPC_VERSION);
  app.footer(
      "Examples:\n  cppc heat.c -o heat.cppc.c -- -I/usr/include/mpi\n  cppc --report=text *.c -- $(mpicc "
      "-showme:compile)\n"
      "Exit status: 0 translated, 1 refused or failed, 2 wrong usage, 3 no safe point.");
}

/// What is wrong with the files that are given, or nothing.
std::string wrong_files(const Settings& settings) {
  if (settings.program.empty() == settings.files.empty()) return "give either files or --program (cppc --help)";
  if (settings.files.size() > 1 && settings.into.empty() && settings.report.empty())
    return "several files need --into DIRECTORY";
  return "";
}

}  // namespace
}  // namespace cppc

int main(int argc, char** argv) {
  using namespace cppc;
  llvm::EnablePrettyStackTrace();  // if it dies, it says of which source
  CLI::App app{
      "Makes MPI programs in C movable: finds safe points and live state, and writes C that saves and restores it."};
  Settings settings;
  add_options(app, settings);
  std::vector<std::string> words(argv + 1, argv + argc), options;
  if (const auto dashes = std::ranges::find(words, "--"); dashes != words.end()) {
    options.assign(dashes + 1, words.end());
    words.erase(dashes, words.end());
  }
  std::ranges::reverse(words);  // as CLI11 wants them
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    if (app.exit(error) != 0) return kUsage;
    check_output();
    return kTranslated;
  }
  if (const std::string wrong = wrong_files(settings); !wrong.empty()) {
    std::cerr << "cppc: " << wrong << '\n';
    return kUsage;
  }
  const int status = translate(
      settings, settings.program.empty() ? own_commands(settings.files, options) : read_commands(settings.program));
  check_output();
  return status;
}
