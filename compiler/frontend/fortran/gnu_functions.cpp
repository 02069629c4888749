#include "gnu_functions.hpp"

#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace cppc::fortran {

namespace {

const std::map<std::string, std::string>& types() {
  static const std::map<std::string, std::string> by_name = [] {
    std::map<std::string, std::string> made = {
        {"fdate", "character(24)"}, {"ctime", "character(24)"}, {"ttynam", "character(64)"}, {"imagpart", "real"}};
    for (const char* name : {"iargc",  "getuid", "getgid", "time",   "mclock", "irand",  "isatty", "hostnm",
                             "system", "access", "chdir",  "lnblnk", "ftell",  "ierrno", "unlink", "fgetc",
                             "umask",  "kill",   "link",   "symlnk", "stat",   "lstat",  "fnum",   "signal"})
      made[name] = "integer";
    for (const char* name : {"time8", "mclock8", "malloc"}) made[name] = "integer(8)";
    for (const char* name : {"int2", "int8"}) made[name] = std::string("integer(") + name[3] + ")";
    for (const char* name :
         {"rand", "ran", "dtime", "secnds", "second", "besj0", "besj1", "besy0", "besy1", "cotan", "lgamma", "algama"})
      made[name] = "real";
    for (const char* name : {"derfc", "dgamma", "dlgama", "dbesj0", "dbesj1", "dbesy0", "dbesy1", "dsind", "dcosd",
                             "dtand", "dcotan", "dasinh", "dacosh", "datanh"})
      made[name] = "double precision";
    made["zexp"] = "complex(8)";
    return made;
  }();
  return by_name;
}

/// The number of the last line before `line` that is IMPLICIT NONE and nothing else; 0 if there is none.
std::size_t implicit_none_before(const std::vector<std::string>& lines, unsigned line) {
  static const std::regex alone(R"(\s*implicit\s*none\s*(!.*)?\r?)", std::regex::icase);
  for (std::size_t number = std::min<std::size_t>(line, lines.size()); number > 0; --number)
    if (std::regex_match(lines[number - 1], alone)) return number;
  return 0;
}

}  // namespace

std::vector<Undeclared> undeclared_gnu_functions(const std::string& messages, const std::string& file) {
  static const std::regex place(R"(:(\d+):\d+: error: (No explicit type declared for '(\w+)')?)");
  std::vector<Undeclared> found;
  std::istringstream lines(messages);
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("error: ") == std::string::npos) continue;
    const bool is_it = line.starts_with(file) && std::regex_search(line, match, place) && types().contains(match[3]);
    if (!is_it) return {};
    found.push_back({static_cast<unsigned>(std::stoul(match[1])), match[3]});
  }
  return found;
}

std::string declare_gnu_functions(const std::string& text, const std::vector<Undeclared>& functions) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::map<std::size_t, std::set<std::string>> by_line;
  for (const auto& [line, name] : functions) by_line[implicit_none_before(lines, line)].insert(name);
  by_line.erase(0);
  for (const auto& [number, names] : by_line) {
    std::string& line = lines[number - 1];
    line.erase(std::min(line.find_first_of("!\r"), line.size()));
    for (const std::string& name : names)
      line.append("; ").append(types().at(name)).append(", external :: ").append(name);
  }
  std::string made;
  for (const std::string& line : lines) made += line + '\n';
  return made;
}

}  // namespace cppc::fortran
