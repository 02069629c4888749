#include "mpi_flags.hpp"

#include <algorithm>

#include "response_file.hpp"

namespace cppc::driver {

Result<std::string> ask_mpicc(const std::string& what, Runner& runner) {
  const auto answer = runner.capture({{"mpicc", "--showme:" + what}});
  if (!answer && answer.error().status == 127)
    return error("mpicc, which knows the flags of MPI, is not in PATH: install Open MPI or add its bin directory");
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status != 0) return error("mpicc --showme:" + what + " fails; is it Open MPI's? " + answer->errors);
  return answer->text;
}

Result<std::vector<std::string>> mpi_compile_flags(const CommandLine& line, Runner& runner) {
  const auto answer = ask_mpicc("compile", runner);
  if (!answer) return tl::unexpected(answer.error());
  std::vector<std::string> flags = split_at_blanks(*answer);
  const bool all_there = std::all_of(flags.begin(), flags.end(), [&line](const std::string& flag) {
    return std::find(line.words.begin(), line.words.end(), flag) != line.words.end();
  });
  if (all_there) flags.clear();
  return flags;
}

Result<std::vector<std::string>> mpi_link_flags(const CommandLine& line, Runner& runner) {
  // An object made of several cannot hold libraries.
  if (line.combined_object) return std::vector<std::string>{};
  const auto answer = ask_mpicc("link", runner);
  if (!answer) return tl::unexpected(answer.error());
  return split_at_blanks(*answer);
}

}  // namespace cppc::driver
