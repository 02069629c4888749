/// Stands in for cppc: turns the string "plain" in sources into "translated" and leaves files without it alone. Its
/// command line and the program that it was given end up in the file $FAKE_LOG. What else it does:
///   FAKE_STATUS=n     says so and ends with n
///   FAKE_SIGNAL=n     says what it looks at, as the translator does, and dies
///   FAKE_CHANGE=all   changes every file, though without effect
///   FAKE_CHANGE=bad   writes what is no C
///   FAKE_CHANGE=c99   changes every file, and declares something behind a statement
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

namespace {

namespace fs = std::filesystem;

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string read(const fs::path& path) {
  std::ifstream file(path);
  if (!file) {
    std::cerr << "cannot read " << path << "\n";
    std::exit(1);
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

void translate(const nlohmann::json& program, const fs::path& into) {
  for (std::size_t n = 0; n < program.size(); ++n) {
    if (program[n].contains("left_out")) continue;
    const std::string file = program[n].at("file");
    const std::string text = read(fs::path(program[n].at("directory").get<std::string>()) / file);
    const bool all = !setting("FAKE_CHANGE").empty();
    if (!all && text.find("\"plain\"") == std::string::npos) continue;
    const bool fortran = fs::path(file).extension() == ".f90";
    std::ofstream translated(into / (std::to_string(n) + (fortran ? ".f90" : ".c")));
    if (setting("FAKE_CHANGE") == "bad") translated << "no C\n";
    if (!fortran) translated << "#line 1 \"" << file << "\"\n";
    translated << std::regex_replace(text, std::regex("\"plain\""), "\"translated\"");
    if (setting("FAKE_CHANGE") == "c99") translated << "int fake(int n) { n++; int late = n; return late; }\n";
  }
  std::ofstream(into / "report.json") << "{}\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 4 || arguments[0] != "--program" || arguments[2] != "--into") return 2;
  const nlohmann::json program = nlohmann::json::parse(read(arguments[1]));
  if (!setting("FAKE_LOG").empty())
    std::ofstream(setting("FAKE_LOG")) << nlohmann::json({{"command", arguments}, {"program", program}}).dump();
  if (!setting("FAKE_SIGNAL").empty()) {
    std::cerr << setting("FAKE_FATAL_ERROR") << "\nStack dump:\n0.\tcppc looks at part.c\n #0 0x00007f (cppc+0x1)\n";
    std::raise(std::stoi(setting("FAKE_SIGNAL")));
  }
  if (!setting("FAKE_STATUS").empty()) {
    std::cerr << "cppc: ends with " << setting("FAKE_STATUS") << "\n";
    return std::stoi(setting("FAKE_STATUS"));
  }
  translate(program, arguments[3]);
}
