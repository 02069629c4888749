#include "show.hpp"

#include <algorithm>
#include <cstdio>

#include "by_address.hpp"
#include "command_line.hpp"
#include "compile.hpp"
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

// What the wrapper says, with the words in which it was asked.
class Answer {
 public:
  Answer(const CommandLine& line, const Wrapper& wrapper, Runner& runner)
      : line_(line), wrapper_(wrapper), runner_(runner) {}

  // The whole command.
  Result<std::string> command() {
    const auto mpi_compile = mpi_compile_flags(line_, wrapper_, runner_);
    if (!mpi_compile) return tl::unexpected(mpi_compile.error());
    const auto mpi_link = mpi_link_flags(line_, wrapper_, runner_);
    if (!mpi_link) return tl::unexpected(mpi_link.error());
    const bool links = line_.mode == Mode::link || line_.mode == Mode::partial || !line_.has_inputs;
    Words words = compiler_for(line_, wrapper_);
    append(words, line_.words);
    append(words, *mpi_compile);
    if (links) append(words, link_flags());
    if (links) append(words, *mpi_link);
    return joined(words);
  }

  // The wrapper's own words come before those of MPI.
  Result<std::string> to(const std::string& what) {
    if (what == "command") return joined(wrapper_.compiler);
    auto of_mpi = ask_mpi(wrapper_, what, runner_);
    if (!of_mpi) return of_mpi;
    Words words;
    if (what == "compile") words = compile_flags();
    if (what == "link") words = link_flags();
    if (what == "incdirs") words = {parts_.headers};
    if (what == "libdirs") words = {parts_.libraries};
    if (what == "libs") words = {"cppc"};
    if (words.empty()) return with_own_name(of_mpi->substr(0, of_mpi->find_last_not_of('\n') + 1));
    for (const std::string& word : split_at_blanks(*of_mpi)) {
      // Nobody can say here that it is linked only if it is needed.
      if (!is_mpi_cxx(word)) words.push_back(word);
    }
    return joined(words);
  }

 private:
  Words compile_flags() const {
    Words words = definitions_for_mpi(line_, wrapper_);
    words.insert(words.begin(), "-I" + parts_.headers);
    return words;
  }

  Words link_flags() const {
    Words words;
    // A shared library is at no fixed place.
    if (!line_.portable && line_.mode != Mode::partial) words = address_flags(wrapper_);
    append(words, {"-L" + parts_.libraries, "-lcppc", "-Wl,-rpath," + parts_.libraries});
    return words;
  }

  std::string with_own_name(std::string text) const {
    for (std::size_t at = 0; (at = text.find(wrapper_.mpi, at)) != std::string::npos; at += wrapper_.name.size())
      text.replace(at, wrapper_.mpi.size(), wrapper_.name);
    return text;
  }

  const CommandLine& line_;
  const Wrapper& wrapper_;
  Runner& runner_;
  const Parts parts_ = locate_parts();
};

}  // namespace

bool asks_to_show(std::span<const std::string> arguments) {
  return std::any_of(arguments.begin(), arguments.end(), is_question);
}

Result<int> show(std::span<const std::string> arguments, const Wrapper& wrapper, Runner& runner) {
  const std::string question = *std::find_if(arguments.begin(), arguments.end(), is_question);
  const std::size_t colon = question.find(':');
  Words rest;
  std::remove_copy_if(arguments.begin(), arguments.end(), std::back_inserter(rest), is_question);
  const auto line = parse_command_line(rest);
  if (!line) return tl::unexpected(line.error());
  Answer answer(*line, wrapper, runner);
  const auto text = colon == std::string::npos ? answer.command() : answer.to(question.substr(colon + 1));
  if (!text) return tl::unexpected(text.error());
  std::puts(text->c_str());
  return 0;
}

}  // namespace cppc::driver
