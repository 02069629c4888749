#include "translate.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace cppc::driver {
namespace {

namespace fs = std::filesystem;

// The translator's exit status for a program without MPI or without a safe point, and for options that are wrong, such
// as a table of functions that cannot be read.
constexpr int nothing_to_do = 3, wrong_options = 2;

Result<void> write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) return error("cannot write " + path);
  return {};
}

Result<void> write_commands(const TranslationRequest& request, const std::string& path) {
  std::map<std::string, std::string> macros;  // most sources have the same: names of files, by what is in them
  nlohmann::json commands = nlohmann::json::array();
  const auto name_macros = [&macros](const TranslationInput& input, nlohmann::json& entry) {
    if (!input.macros.empty())
      entry["macros"] = macros.try_emplace(input.macros, "macros." + std::to_string(macros.size())).first->second;
  };
  for (std::size_t index = 0; index < request.program.size(); ++index) {
    const TranslationInput& input = request.program[index];
    nlohmann::json entry = input.command;
    if (request.outside != nullptr && request.outside->of_records[index])
      entry["names"] = *request.outside->of_records[index];
    if (!input.object.empty()) entry["object"] = input.object;
    if (input.compiled != 0) entry["compiled"] = input.compiled;
    if (!input.left_out.empty()) entry["left_out"] = input.left_out;
    name_macros(input, entry);
    commands.push_back(std::move(entry));
  }
  for (const TranslationInput& input : request.modules) {
    nlohmann::json entry = input.command;
    entry["modules_only"] = true;
    name_macros(input, entry);
    commands.push_back(std::move(entry));
  }
  for (const auto& [text, name] : macros)
    if (const auto written = write(request.directory + "/" + name, text); !written) return written;
  return write(path, commands.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

Result<void> write_outside(const Outside& outside, const std::string& path) {
  std::string text;
  for (const std::string& name : outside.others) text += name + "\n";
  return write(path, text);
}

// The fatal error of a library that a line reports; empty when it reports none.
std::string fatal_error_in(const std::string& line) {
  for (const char* beginning : {"fatal internal error: ", "LLVM ERROR: ", "Assertion `"})
    if (const std::size_t begin = line.find(beginning); begin != std::string::npos) return line.substr(begin);
  return "";
}

// Why the translator has ended, in its own words: the fatal error of flang or LLVM, or its last line, without the
// numbers and frames of a dump of LLVM's.
std::string reason_of(const Output& output) {
  if (output.status == 128 + SIGXCPU) return "the program is too large for the time that the translator may take";
  for (const char* in_vain : {"out of memory", "bad_alloc"})
    if (output.status == 128 + SIGABRT && output.errors.find(in_vain) != std::string::npos)
      return "the program is too large for the memory that the translator may take";
  std::string last_line, line, fatal_error;
  for (std::istringstream lines(output.errors); std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin != std::string::npos && line[begin] != '#') last_line = line;
    if (std::string error = fatal_error_in(line); !error.empty()) fatal_error = std::move(error);
  }
  if (!fatal_error.empty()) last_line = fatal_error;
  const std::size_t begin = last_line.find_first_not_of("0123456789.\t ");
  last_line = begin == std::string::npos ? "" : ": " + last_line.substr(begin);
  if (output.status > 128)
    return std::string("the translator died (") + strsignal(output.status - 128) + ")" + last_line;
  return "the translator ended with status " + std::to_string(output.status) + last_line;
}

// What the translator says of a program that it has translated, everybody hears.
Result<int> run_quietly(const Command& command, Runner& runner) {
  const auto output = runner.capture(command);
  if (!output) return tl::unexpected(output.error());
  if (output->status == wrong_options) {
    std::fputs(output->errors.c_str(), stderr);
    return tl::unexpected(Failure{"", wrong_options, /*of_setting=*/true});
  }
  if (output->status != 0 && output->status != nothing_to_do)
    return tl::unexpected(Failure{reason_of(*output), output->status});
  if (output->status == 0) std::fputs(output->errors.c_str(), stderr);
  return output->status;
}

// For whoever wants to read what was compiled.
Result<void> keep(const TranslationRequest& request) {
  if (!is_set("CPPC_KEEP")) return {};
  const fs::path kept = fs::path(std::getenv("CPPC_KEEP")) / request.name;
  std::error_code failure;
  fs::create_directories(kept, failure);
  if (!failure)
    fs::copy(request.directory, kept, fs::copy_options::recursive | fs::copy_options::overwrite_existing, failure);
  if (failure)
    return tl::unexpected(Failure{"cannot keep the translated sources in " + kept.string() + ": " + failure.message(),
                                  EXIT_FAILURE, /*of_setting=*/true});
  return {};
}

}  // namespace

Result<std::optional<Translated>> translate(const TranslationRequest& request, const Parts& parts, Runner& runner) {
  std::error_code failure;
  if (!fs::create_directory(request.directory, failure)) return error("cannot make the directory " + request.directory);
  const std::string commands = request.directory + "/commands.json";
  if (const auto written = write_commands(request, commands); !written) return tl::unexpected(written.error());
  Command command{{parts.translator, "--program", commands, "--into", request.directory}};
  if (request.by_address) command.words.emplace_back("--by-address");
  if (request.renamed) command.words.emplace_back("--renamed");
  if (request.outside != nullptr) {
    const std::string names = request.directory + "/outside";
    if (const auto written = write_outside(*request.outside, names); !written) return tl::unexpected(written.error());
    command.words.insert(command.words.end(), {"--outside", names});
  }
  command.words.insert(command.words.end(), request.options.begin(), request.options.end());
  const auto status = request.quiet ? run_quietly(command, runner) : runner.run(command);
  const auto kept = keep(request);  // above all when it has failed
  if (!status) return tl::unexpected(status.error());
  if (!kept) return tl::unexpected(kept.error());
  if (*status == nothing_to_do) return std::nullopt;
  if (*status != 0)
    return tl::unexpected(
        Failure{request.by_address ? "the translator ended with status " + std::to_string(*status) : "", *status,
                /*of_setting=*/*status == wrong_options});
  const auto written = [&request](const std::string& name) {
    const std::string path = request.directory + "/" + name;
    return fs::exists(path) ? path : "";
  };
  Translated translated;
  for (std::size_t index = 0; index < request.program.size(); ++index) {
    std::string path;
    const std::string number = std::to_string(index);
    const std::string suffix = fs::path(request.program[index].command.value("file", "")).extension();
    for (const std::string& name : {number + ".c", number + ".cpp", number + suffix})
      if (path.empty()) path = written(name);
    translated.files.push_back(path);
  }
  translated.companion = written("companion.c");
  return translated;
}

}  // namespace cppc::driver
