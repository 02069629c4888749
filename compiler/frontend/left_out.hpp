/// Files of a program that are not looked at, by either front end.
#pragma once

#include <string>

namespace cppc::frontend {

struct LeftOut {
  std::string file, why;
  std::string cause = {};  ///< an error in one file, for that file and those that use its modules

  [[nodiscard]] std::string text() const { return file + ": left as it is: " + why; }
};

}  // namespace cppc::frontend
