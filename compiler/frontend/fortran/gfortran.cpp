#include "gfortran.hpp"

#include <llvm/Support/Program.h>

#include <array>

#include "read_text.hpp"

namespace cppc::fortran {

std::optional<std::string> output_of_gfortran(std::vector<std::string> words, const std::string& scratch) {
  const auto compiler = llvm::sys::findProgramByName("gfortran");
  if (!compiler) return std::nullopt;
  words.insert(words.begin(), *compiler);
  const std::string output = scratch + "/of-gfortran";
  const std::array<std::optional<llvm::StringRef>, 3> streams = {llvm::StringRef(), llvm::StringRef(output),
                                                                 llvm::StringRef()};
  const std::vector<llvm::StringRef> arguments(words.begin(), words.end());
  if (llvm::sys::ExecuteAndWait(*compiler, arguments, std::nullopt, streams) != 0) return std::nullopt;
  return read_text(output);
}

}  // namespace cppc::fortran
