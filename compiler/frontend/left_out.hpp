/// Files of a program that are not looked at, by either front end.
#pragma once

#include <string>

namespace cppc::frontend {

struct LeftOut {
  std::string file, why;

  [[nodiscard]] std::string text() const { return file + ": left as it is: " + why; }
};

}  // namespace cppc::frontend
