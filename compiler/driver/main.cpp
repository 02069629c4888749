/// cppc-cc: the C compiler for MPI programs that are to be movable, in mpicc's place.

#include <cstdio>
#include <cstdlib>

#include "command_line.hpp"
#include "compile.hpp"
#include "link.hpp"
#include "mpi_flags.hpp"
#include "process.hpp"
#include "settings.hpp"
#include "show.hpp"

namespace cppc::driver {
namespace {

constexpr const char* help = R"(Usage: cppc-cc [any option of the C compiler] FILE...

Compiles and links C programs as mpicc and the compiler under it would. A program that uses MPI and has a place where a
rank can be moved is translated as a whole when it is linked, so that `migrate` can move its ranks under cppc-run. All
options are the compiler's, but for:
  --cppc-report=text|json  say what was found: places, live variables, refusals
  --cppc-models=FILE       what functions do that the program calls and whose source is not part of it
  -show, -showme[:WHAT]    show commands and flags instead, as mpicc does (-showme:help)

Environment:
  CPPC_CC=gcc        the compiler underneath, with words before and behind: "ccache gcc", "clang-19"; cc by default
  CPPC_WRAPPER=off   be that compiler and nothing else, for configure steps
  CPPC_VERBOSE=1     say on standard error what is run; so does -v
  CPPC_KEEP=DIR      keep the translated sources in DIR/PROGRAM

Examples:
  make CC=cppc-cc
  OMPI_CC=cppc-cc make CC=mpicc
  CC=cppc-cc cmake -B build
  export OMPI_CC=cppc-cc; CPPC_WRAPPER=off ./configure CC=mpicc && make
  CPPC_CC=clang cppc-cc -O2 -o heat heat.c solver.c -lm

What the compiler says about its options: CPPC_WRAPPER=off cppc-cc --help
See also: cppc-cc(1), cppc-run(1), migrate(1), mpicc(1)
)";

std::vector<std::string> with_compiler(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = underlying_compiler();
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

// The compiler does it all, and knows where MPI is if there is something to compile.
Result<int> pass_on(const CommandLine& line, bool verbose) {
  std::vector<std::string> words = with_compiler(line.words);
  if (line.has_inputs) {
    Runner runner(verbose);
    const auto flags = mpi_compile_flags(line, runner);
    if (!flags) return tl::unexpected(flags.error());
    words.insert(words.end(), flags->begin(), flags->end());
  }
  return tl::unexpected(become(words, verbose));
}

Result<int> work(const std::vector<std::string>& arguments) {
  const char* wrapper = std::getenv("CPPC_WRAPPER");
  const bool off = wrapper != nullptr && std::string_view(wrapper) == "off";
  const auto line = parse_command_line(arguments);
  if (!line) return tl::unexpected(line.error());
  const bool verbose = is_set("CPPC_VERBOSE") || (line->verbose && line->has_inputs);
  if (off) return tl::unexpected(become(with_compiler(line->words), verbose));
  if (arguments.size() == 1 && arguments.front() == "--help") return std::fputs(help, stdout) < 0 ? 1 : 0;
  if (asks_to_show(arguments)) {
    Runner runner(verbose);
    return show(arguments, runner);
  }
  if (line->mode == Mode::transparent) return pass_on(*line, verbose);
  Runner runner(verbose);
  return line->mode == Mode::compile ? compile(*line, runner) : link(*line, runner);
}

}  // namespace
}  // namespace cppc::driver

int main(int argc, char** argv) {
  const auto status = cppc::driver::work({argv + 1, argv + argc});
  if (status) return *status;
  if (!status.error().text.empty()) std::fprintf(stderr, "cppc-cc: %s\n", status.error().text.c_str());
  return status.error().status;
}
