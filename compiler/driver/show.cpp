#include "show.hpp"

#include <algorithm>
#include <cstdio>

#include "command_line.hpp"
#include "mpi_flags.hpp"
#include "response_file.hpp"
#include "settings.hpp"

namespace cppc::driver {
namespace {

using Words = std::vector<std::string>;

bool is_question(const std::string& argument) {
  const std::string word = argument.starts_with("--") ? argument.substr(1) : argument;
  return word == "-show" || word == "-showme" || word.starts_with("-showme:");
}

void append(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

std::string joined(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

Words compile_flags(const Parts& parts) { return {"-I" + parts.headers}; }

Words link_flags(const Parts& parts) { return {"-L" + parts.libraries, "-lcppc", "-Wl,-rpath," + parts.libraries}; }

// The whole command.
Result<std::string> command(std::span<const std::string> arguments, Runner& runner) {
  Words rest;
  std::remove_copy_if(arguments.begin(), arguments.end(), std::back_inserter(rest), is_question);
  const auto line = parse_command_line(rest);
  if (!line) return tl::unexpected(line.error());
  const auto mpi_compile = mpi_compile_flags(*line, runner);
  if (!mpi_compile) return tl::unexpected(mpi_compile.error());
  const auto mpi_link = mpi_link_flags(*line, runner);
  if (!mpi_link) return tl::unexpected(mpi_link.error());
  const Parts parts = locate_parts();
  const bool links = line->mode == Mode::link || line->mode == Mode::partial || !line->has_inputs;
  Words words = underlying_compiler();
  append(words, line->words);
  append(words, *mpi_compile);
  append(words, compile_flags(parts));
  if (links) append(words, link_flags(parts));
  if (links) append(words, *mpi_link);
  return joined(words);
}

// The wrapper's own words come before those of MPI.
Result<std::string> answer(const std::string& what, Runner& runner) {
  if (what == "command") return joined(underlying_compiler());
  auto of_mpi = ask_mpicc(what, runner);
  if (!of_mpi) return of_mpi;
  const Parts parts = locate_parts();
  Words words;
  if (what == "compile") words = compile_flags(parts);
  if (what == "link") words = link_flags(parts);
  if (what == "incdirs") words = {parts.headers};
  if (what == "libdirs") words = {parts.libraries};
  if (what == "libs") words = {"cppc"};
  if (!words.empty()) {
    append(words, split_at_blanks(*of_mpi));
    return joined(words);
  }
  std::string text = of_mpi->substr(0, of_mpi->find_last_not_of('\n') + 1);
  constexpr std::string_view its_name = "mpicc";
  for (std::size_t at = 0; (at = text.find(its_name, at)) != std::string::npos;)
    text.replace(at, its_name.size(), "cppc-cc");
  return text;
}

}  // namespace

bool asks_to_show(std::span<const std::string> arguments) {
  return std::any_of(arguments.begin(), arguments.end(), is_question);
}

Result<int> show(std::span<const std::string> arguments, Runner& runner) {
  const std::string question = *std::find_if(arguments.begin(), arguments.end(), is_question);
  const std::size_t colon = question.find(':');
  const auto text =
      colon == std::string::npos ? command(arguments, runner) : answer(question.substr(colon + 1), runner);
  if (!text) return tl::unexpected(text.error());
  if (std::puts(text->c_str()) < 0) return error("cannot write the answer");
  return 0;
}

}  // namespace cppc::driver
