/// cppc-cc, cppc-c++, cppc-fc: compilers for MPI programs that are to be movable, in the place of mpicc, mpicxx,
/// mpifort.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "../standard_output.hpp"
#include "command_line.hpp"
#include "compile.hpp"
#include "link.hpp"
#include "mpi_flags.hpp"
#include "process.hpp"
#include "settings.hpp"
#include "show.hpp"

namespace cppc::driver {
namespace {

constexpr const char* help = R"(Usage: cppc-cc  [any option of the C compiler] FILE...
       cppc-c++ [any option of the C++ compiler] FILE...    (cppc-cxx is the same)
       cppc-fc  [any option of the Fortran compiler] FILE...

Compile and link MPI programs as mpicc, mpicxx and mpifort and the compilers under them would. `migrate` can move the
ranks of what they link under cppc-run, by taking the state of a rank to the same addresses in another process. All
options are the compiler's, but for:
  --portable               cppc-cc only: the state of a rank by its types, not by its addresses; the program is
                           translated as a whole when it is linked, and refused if that is not possible
  --cppc-report=FORM       say what was found, as text, json or html: places, live variables, refusals
  --cppc-models=FILE       what functions do that the program calls and whose source is not part of it
  -show, -showme[:WHAT]    show commands and flags instead, as mpicc does (-showme:help)

Environment:
  CPPC_CC=gcc        the compiler underneath, with words before and behind: "ccache gcc", "clang-19"; by default that
                     which mpicc calls
  CPPC_CXX=g++       the same for cppc-c++ and mpicxx
  CPPC_FC=gfortran   the same for cppc-fc and mpifort
  CPPC_WRAPPER=off   be that compiler and nothing else, for configure steps
  CPPC_VERBOSE=1     say on standard error what is run; so does -v
  CPPC_KEEP=DIR      keep the translated sources in DIR/PROGRAM

Examples:
  make CC=cppc-cc CXX=cppc-c++ FC=cppc-fc
  OMPI_CC=cppc-cc make CC=mpicc
  CC=cppc-cc CXX=cppc-c++ FC=cppc-fc cmake -B build
  export OMPI_CC=cppc-cc; CPPC_WRAPPER=off ./configure CC=mpicc && make
  CPPC_CC=clang cppc-cc -O2 -o heat heat.c solver.c -lm

What the compiler says about its options: CPPC_WRAPPER=off cppc-cc --help
See also: cppc-cc(1), cppc-run(1), migrate(1), mpicc(1)
)";

std::vector<std::string> with_compiler(const Wrapper& wrapper, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = wrapper.compiler;
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

// The compiler does it all, and knows where MPI is if there is something to compile.
Result<int> pass_on(const CommandLine& line, const Wrapper& wrapper, bool verbose) {
  std::vector<std::string> words = definitions_for_mpi(line, wrapper);
  words.insert(words.end(), line.words.begin(), line.words.end());
  words = with_compiler(wrapper, line.has_inputs ? words : line.words);
  if (line.has_inputs) {
    Runner runner(verbose);
    const auto flags = mpi_compile_flags(line, wrapper, runner);
    if (!flags) return tl::unexpected(flags.error());
    words.insert(words.end(), flags->begin(), flags->end());
  }
  return tl::unexpected(become(words, verbose));
}

Result<int> work(Wrapper wrapper, const std::vector<std::string>& arguments) {
  const char* setting = std::getenv("CPPC_WRAPPER");
  const bool off = setting != nullptr && std::string_view(setting) == "off";
  if (const std::string mpi = asked_back(); !mpi.empty())
    return error("the " + mpi + " in PATH calls " + wrapper.name +
                 ", which asks it for the flags of MPI: Open MPI's own " + mpi + " has to come first in PATH");
  const auto line = parse_command_line(arguments);
  if (!line) return tl::unexpected(line.error());
  if (line->portable && wrapper.language != Language::c)
    return error("there is no --portable in " + wrapper.name + ": only programs in C can be translated");
  {  // over before this process may become the compiler
    Runner runner(false);
    wrapper.compiler = compiler_underneath(wrapper, runner);
  }
  const bool verbose = is_set("CPPC_VERBOSE") || (line->verbose && line->has_inputs);
  if (off) return tl::unexpected(become(with_compiler(wrapper, line->words), verbose));
  if (arguments.size() == 1 && arguments.front() == "--help") {
    std::fputs(help, stdout);
    return 0;
  }
  if (asks_to_show(arguments)) {
    Runner runner(verbose);
    return show(arguments, wrapper, runner);
  }
  if (line->mode == Mode::transparent) return pass_on(*line, wrapper, verbose);
  Runner runner(verbose);
  return line->mode == Mode::compile ? compile(*line, wrapper, runner) : link(*line, wrapper, runner);
}

/// The tool of gcc's that a link to this program stands for: CMake looks for those of a compiler cppc-cc by such names.
std::optional<std::string> tool_called(std::string_view program) {
  constexpr std::string_view prefix = "cppc-";
  const std::string name = std::filesystem::path(program).filename();
  if (!name.starts_with("cppc-gcc-")) return std::nullopt;
  return name.substr(prefix.size());
}

Result<int> run_tool(const std::string& tool, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{tool};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return tl::unexpected(become(words, is_set("CPPC_VERBOSE")));
}

Result<int> run(const Wrapper& wrapper, const char* program, const std::vector<std::string>& arguments) {
  const auto tool = tool_called(program);
  auto status = tool ? run_tool(*tool, arguments) : work(wrapper, arguments);
  if (!status || *status != 0) return status;
  if (const std::string failure = output_failure(); !failure.empty()) return error(failure);
  return status;
}

}  // namespace
}  // namespace cppc::driver

int main(int argc, char** argv) {
  const cppc::driver::Wrapper wrapper = cppc::driver::wrapper_called(argv[0]);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const auto status = cppc::driver::run(wrapper, argv[0], arguments);
  if (status) return *status;
  if (!status.error().text.empty()) std::fprintf(stderr, "%s: %s\n", wrapper.name.c_str(), status.error().text.c_str());
  return status.error().status;
}
