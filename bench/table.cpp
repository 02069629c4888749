/// The README's table of figures, made from the benches' last lines: bench/run --record NAME keeps them in
/// bench/figures.jsonl, with the machine, the date and the commit of each.
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "table/age.hpp"
#include "table/rows.hpp"

namespace {

using namespace cppc::bench;

const std::string kBegin = "<!-- bench/run table writes from here -->\n";
const std::string kEnd = "<!-- to here -->\n";

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "bench-table: %s\n", why.c_str());
  std::exit(EXIT_FAILURE);
}

std::string contents(const std::string& path) {
  std::ifstream file(path);
  if (!file) give_up("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// By bench; of lines of the same one the last counts.
std::map<std::string, Json> figures_of(const std::string& lines, const std::string& path) {
  std::map<std::string, Json> figures;
  std::istringstream stream(lines);
  for (std::string line; std::getline(stream, line);) {
    Json one = Json::parse(line, nullptr, false);
    if (!one.is_object() || !one.contains("bench")) give_up(path + ": not a bench's last line: " + line);
    const std::string name = one.at("bench");
    figures[name] = std::move(one);
  }
  return figures;
}

std::string measured(const Json& figures) {
  const Json& how = figures.at("measured");
  return how.at("date").get<std::string>() + ", `" + how.at("commit").get<std::string>() + "`, " +
         how.at("machine").get<std::string>();
}

/// Without the mark that the files were not quite those of the commit.
std::string commit(const Json& figures) {
  const auto commit = figures.at("measured").at("commit").get<std::string>();
  return commit.substr(0, commit.find(','));
}

std::string command_of(const Json& figures) {
  const auto arguments = figures.at("measured").at("arguments").get<std::string>();
  return "`bench/run " + figures.at("bench").get<std::string>() + (arguments.empty() ? "" : " " + arguments) + "`";
}

/// Ends this process when there are some.
void complain(const std::vector<std::string>& faults) {
  for (const std::string& one : faults) std::fprintf(stderr, "bench-table: %s\n", one.c_str());
  if (!faults.empty()) std::exit(EXIT_FAILURE);
}

/// `checkout`: with the folders that the benches are about.
std::string table(const std::map<std::string, Json>& figures, const std::string& checkout) {
  std::string text = "| command | what | figure | measured |\n| --- | --- | --- | --- |\n";
  for (const BenchRows& bench : benches()) {
    const auto found = figures.find(bench.name);
    if (found == figures.end()) {
      text += "| `bench/run " + bench.name + "` | | not recorded | |\n";
      continue;
    }
    complain(beyond_limits(bench, found->second, Form::usual));
    std::string command = command_of(found->second);
    for (const std::string& folder : bench.subjects)
      if (!std::filesystem::is_directory(checkout + "/" + folder)) give_up(checkout + " has no folder " + folder);
    std::string changes = changes_since(commit(found->second), checkout, bench.subjects);
    for (const Row& row : bench.rows(found->second)) {
      text += "| " + std::exchange(command, "") + " | " + row.what + " | " + row.figure + " | " +
              measured(found->second) + std::exchange(changes, "") + " |\n";
    }
  }
  return text;
}

/// `readme` with another table.
std::string with_table(const std::string& readme, const std::string& table) {
  const auto begin = readme.find(kBegin);
  const auto end = readme.find(kEnd);
  if (begin == std::string::npos || end == std::string::npos || end < begin)
    give_up("the README does not say where the table begins and ends");
  return readme.substr(0, begin + kBegin.size()) + "\n" + table + "\n" + readme.substr(end);
}

/// That the last line of what a bench prints has what it promises, its rows can be made of that, and nothing is beyond
/// its limit.
void check(const std::string& name, std::istream& printed, Form form) {
  std::string last;
  for (std::string line; std::getline(printed, line);) last = line;
  const Json figures = Json::parse(last, nullptr, false);
  if (!figures.is_object() || figures.value("bench", "") != name) give_up("its last line is not that of " + name);
  for (const BenchRows& bench : benches()) {
    if (bench.name != name) continue;
    std::vector<std::string> fields = bench.fields;
    for (const Limit& limit : limits_of(bench, form)) fields.push_back(limit.field);
    std::vector<std::string> faults = beyond_limits(bench, figures, form);
    for (const std::string& field : fields)
      if (!figures.contains(Json::json_pointer(field))) faults.push_back(name + " does not say " + field);
    complain(faults);
    for (const Row& row : bench.rows(figures)) std::printf("%s: %s\n", row.what.c_str(), row.figure.c_str());
    return;
  }
  give_up("no bench " + name);
}

}  // namespace

int main(int argc, char** argv) {
  std::string figures, readme, bench;
  bool compare = false, shortest = false;
  CLI::App options{"The README's table of figures from the lines in FIGURES. Exit status 1: not done, not the same."};
  options.add_option("figures", figures, "the benches' last lines");
  options.add_option("readme", readme, "where the table is");
  options.add_flag("--compare", compare,
                   "only look whether the table is what they give, but for what has changed since");
  options.add_option("--check", bench, "only look whether standard input ends with the last line of this bench");
  options.add_flag("--shortest", shortest, "of that in its shortest form, in which only the limits of counts hold");
  CLI11_PARSE(options, argc, argv);
  try {
    if (!bench.empty()) {
      check(bench, std::cin, shortest ? Form::shortest : Form::usual);
      return EXIT_SUCCESS;
    }
    const std::string before = contents(readme);
    const std::string checkout = std::filesystem::absolute(readme).parent_path();
    const std::string after = with_table(before, table(figures_of(contents(figures), figures), checkout));
    if (compare && without_changes(after) != without_changes(before))
      give_up("the table in " + readme + " is not that of " + figures);
    if (!compare && !(std::ofstream(readme) << after)) give_up("cannot write " + readme);
  } catch (const Json::exception& error) {
    give_up(error.what());
  }
}
