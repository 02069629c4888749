/// Safe points of a program whose state is kept by address: the one statement that each of them is.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "unit.hpp"

namespace cppc::rewrite {

/// Memory that the program says to be dead.
struct Dead {
  std::string what, bytes;  ///< in C
  std::string why;
};

struct Mark {
  ir::Index unit;
  const clang::Stmt* loop;
  std::string code;              ///< what the loop's body starts with
  std::set<ir::Node> elsewhere;  ///< static objects that it names, although only another place has them
  std::vector<Dead> dead;
  std::vector<ir::Node> unnamed;  ///< static objects that are dead, and cannot be named
};

/// By safe point.
std::vector<Mark> make_marks(const Rewriting& rewriting);

/// How a file has the bounds of a static object of another one, and how that one defines them.
std::string bounds_declaration(ir::Node object);
std::string bounds_definition(const Rewriting& rewriting, ir::Node object);

}  // namespace cppc::rewrite
