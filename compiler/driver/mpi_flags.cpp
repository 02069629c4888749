#include "mpi_flags.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "response_file.hpp"
#include "settings.hpp"

namespace cppc::driver {

namespace {

/// Names the compiler that Open MPI's wrapper calls.
const char* variable_of(Language language) {
  return language == Language::cxx ? "OMPI_CXX" : language == Language::fortran ? "OMPI_FC" : "OMPI_CC";
}

const char* usual_compiler(Language language) {
  return language == Language::cxx ? "c++" : language == Language::fortran ? "gfortran" : "cc";
}

bool is_wrapper(const std::string& word) {
  return std::filesystem::path(word).filename().string().starts_with("cppc-");
}

constexpr const char* asked = "CPPC_ASKS";

/// What MPI's wrapper says; it, and what it calls, can tell that they are asked by this program.
Result<Output> put_question(const Command& question, const Wrapper& wrapper, Runner& runner) {
  setenv(asked, wrapper.mpi.c_str(), /*overwrite=*/1);
  auto answer = runner.capture(question);
  unsetenv(asked);
  return answer;
}

}  // namespace

std::string asked_back() {
  const char* const wrapper = std::getenv(asked);
  return wrapper != nullptr ? wrapper : "";
}

std::vector<std::string> compiler_underneath(const Wrapper& wrapper, Runner& runner) {
  if (!wrapper.compiler.empty()) return wrapper.compiler;
  const std::vector<std::string> question{wrapper.mpi, "--showme:command"};
  std::vector<std::string> without_us{"env", "-u", variable_of(wrapper.language)};  // OMPI_CC=cppc-cc
  without_us.insert(without_us.end(), question.begin(), question.end());
  for (const auto& words_asked : {question, without_us}) {
    const auto answer = put_question({words_asked}, wrapper, runner);
    if (!answer || answer->status != 0) break;
    if (auto words = split_at_blanks(answer->text); !words.empty() && std::ranges::none_of(words, is_wrapper))
      return words;
  }
  return {usual_compiler(wrapper.language)};
}

Result<std::string> ask_mpi(const Wrapper& wrapper, const std::string& what, Runner& runner) {
  const auto answer = put_question({{wrapper.mpi, "--showme:" + what}}, wrapper, runner);
  if (!answer && answer.error().status == 127)
    return error(wrapper.mpi +
                 ", which knows the flags of MPI, is not in PATH: install Open MPI or add its bin directory");
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status != 0)
    return error(wrapper.mpi + " --showme:" + what + " fails; is it Open MPI's? " + answer->errors);
  return answer->text;
}

std::vector<std::string> definitions_for_mpi(const CommandLine& line, const Wrapper& wrapper) {
  const auto is_cxx = [](const Argument& argument) { return language_of(argument) == Language::cxx; };
  if (wrapper.language != Language::cxx && std::none_of(line.arguments.begin(), line.arguments.end(), is_cxx))
    return {};
  return {"-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX", "-I" + locate_parts().headers + "/cppc/cxx"};
}

Result<std::vector<std::string>> mpi_compile_flags(const CommandLine& line, const Wrapper& wrapper, Runner& runner) {
  const auto answer = ask_mpi(wrapper, "compile", runner);
  if (!answer) return tl::unexpected(answer.error());
  std::vector<std::string> flags = split_at_blanks(*answer);
  const auto is_there = [&line](const std::string& flag) {
    return std::find(line.words.begin(), line.words.end(), flag) != line.words.end();
  };
  if (std::all_of(flags.begin(), flags.end(), is_there)) flags.clear();
  const std::string headers = "-I" + locate_parts().headers;
  if (!is_there(headers)) flags.push_back(headers);
  return flags;
}

Result<std::vector<std::string>> mpi_link_flags(const CommandLine& line, const Wrapper& wrapper, Runner& runner) {
  // An object made of several cannot hold libraries.
  if (line.combined_object) return std::vector<std::string>{};
  const auto answer = ask_mpi(wrapper, "link", runner);
  if (!answer) return tl::unexpected(answer.error());
  std::vector<std::string> flags;
  for (std::string& flag : split_at_blanks(*answer)) {
    const char* const state = is_mpi_cxx(flag) ? "-Wl,--push-state,--as-needed"
                              // Under mpirun libcppc hands on to it what it defines itself.
                              : flag == "-lmpi_mpifh" ? "-Wl,--push-state,--no-as-needed"
                                                      : nullptr;
    if (state != nullptr) flags.emplace_back(state);
    flags.push_back(std::move(flag));
    if (state != nullptr) flags.emplace_back("-Wl,--pop-state");
  }
  return flags;
}

bool is_mpi_cxx(const std::string& flag) { return flag == "-lmpi_cxx" || flag == "mpi_cxx"; }

}  // namespace cppc::driver
