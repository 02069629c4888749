#include "conditional_directives.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "gfortran.hpp"

namespace cppc::fortran {

namespace {

using Lines = std::vector<std::string>;

enum class LineKind { directive, condition, blank, other };

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

LineKind kind_of(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return LineKind::blank;
  line.remove_prefix(begin);
  if (line.size() >= 5) {
    std::string sentinel(line.substr(1, 4));
    for (char& letter : sentinel) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    const bool of_fixed_form = begin == 0 && std::string_view("cC*").find(line[0]) != std::string_view::npos;
    if (sentinel == "$omp" && (line[0] == '!' || of_fixed_form)) return LineKind::directive;
  }
  if (line[0] != '#') return LineKind::other;
  const std::size_t word = line.find_first_not_of(" \t", 1);
  const bool conditional =
      word != std::string_view::npos && (line.substr(word).starts_with("if") || line.substr(word).starts_with("el") ||
                                         line.substr(word).starts_with("endif"));
  return conditional ? LineKind::condition : LineKind::other;
}

std::string_view word_of(std::string_view condition) {
  return condition.substr(condition.find_first_not_of(" \t", condition.find('#') + 1));
}

/// Lines [begin, end).
struct Run {
  std::size_t begin;
  std::size_t end;
};

/// The longest run of directives and whole conditions from there on. Conditions that begin or end elsewhere do not
/// belong to it: what is between them and directives is not known here.
Run run_from(std::size_t begin, const Lines& lines) {
  std::vector<std::size_t> open;
  std::size_t end = begin;
  for (; end < lines.size(); ++end) {
    const LineKind kind = kind_of(lines[end]);
    if (kind == LineKind::other) break;
    if (kind != LineKind::condition) continue;
    const std::string_view word = word_of(lines[end]);
    if (word.starts_with("if")) {
      open.push_back(end);
      continue;
    }
    if (open.empty()) break;
    if (word.starts_with("endif")) open.pop_back();
  }
  return {begin, open.empty() ? end : open.front()};
}

std::vector<Run> runs_with_conditions(const Lines& lines) {
  std::vector<Run> runs;
  for (std::size_t begin = 0; begin < lines.size();) {
    const Run run = run_from(begin, lines);
    const auto has = [&](LineKind kind) {
      return std::any_of(lines.begin() + static_cast<std::ptrdiff_t>(run.begin),
                         lines.begin() + static_cast<std::ptrdiff_t>(run.end),
                         [&](const std::string& line) { return kind_of(line) == kind; });
    };
    if (has(LineKind::condition) && has(LineKind::directive)) runs.push_back(run);
    begin = run.end + 1;
  }
  return runs;
}

/// The lines of `file` itself in what the preprocessor has written, by their numbers.
std::map<std::size_t, std::string> lines_of_file(const std::string& preprocessed, const std::string& file) {
  std::map<std::size_t, std::string> found;
  std::size_t number = 0;
  bool own = false;
  for (const std::string& line : lines_of(preprocessed)) {
    std::istringstream marker(line);
    std::string sign, name;
    std::size_t next = 0;
    if (line.starts_with("# ") && marker >> sign >> next >> name) {
      number = next;
      own = name == '"' + file + '"';
      continue;
    }
    if (own) found[number] = line;
    ++number;
  }
  return found;
}

std::optional<std::string> preprocessed_by_gfortran(const std::string& file, const Options& options,
                                                    const std::string& scratch) {
  std::vector<std::string> words{"-E", "-cpp"};
  if (options.openmp) words.emplace_back("-fopenmp");
  for (const auto& [macro, value] : options.definitions)
    words.push_back(std::string("-D").append(macro).append("=").append(value));
  for (const std::string& directory : options.includes) words.push_back("-I" + directory);
  words.push_back(file);
  return output_of_gfortran(std::move(words), scratch);
}

}  // namespace

std::optional<std::string> without_conditional_directives(const std::string& text, const std::string& file,
                                                          const Options& options, const std::string& scratch) {
  Lines lines = lines_of(text);
  const std::vector<Run> runs = runs_with_conditions(lines);
  if (runs.empty()) return std::nullopt;
  const auto preprocessed = preprocessed_by_gfortran(file, options, scratch);
  if (!preprocessed) return std::nullopt;
  const auto left = lines_of_file(*preprocessed, file);
  for (const Run& run : runs)
    for (std::size_t at = run.begin; at < run.end; ++at) {
      const auto found = left.find(at + 1);
      lines[at] = found != left.end() ? found->second : std::string();
    }
  std::string made;
  for (const std::string& line : lines) made += line + '\n';
  return made;
}

}  // namespace cppc::fortran
