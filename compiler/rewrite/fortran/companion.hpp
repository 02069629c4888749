/// The routines in C that a Fortran program calls at its safe points: what they do, and say to be dead.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "frontend/fortran/flow.hpp"

namespace cppc::rewrite::fortran {

using cppc::fortran::Index;

struct Dead {
  std::string what;
  std::uint64_t bytes;  ///< at most; 0: as many as are allocated
  std::string why;
};

/// How the routine has an argument, where that has to be said.
struct Dummy {
  std::string type;   ///< with attributes
  std::string shape;  ///< behind the name
};

/// A safe point: the routine's name is point_name().
struct Point {
  unsigned number = 0;
  Index file = cppc::fortran::none;  ///< number of its command
  unsigned line = 0;                 ///< behind which the call goes
  unsigned column = 0;               ///< of the last character there that is the loop's header
  unsigned label = 0;                ///< not 0: the call goes in front of the statement there, which has this label
  std::vector<std::string> arguments;
  std::vector<Dummy> dummies;  ///< by argument
  bool has_interface = false;  ///< it has to be declared: descriptors are among the arguments, or the file wants it
  std::string code;            ///< the routine, in C
  std::vector<Dead> dead;
};

std::string point_name(unsigned number);

/// Where a safe point is: in a procedure; whether the compiler's options let it have constructs of Fortran 2008 and
/// types that may be any.
struct Site {
  Index procedure;
  bool modern;
};

/// Adds code, arguments and what is dead. `dead`: of the arrays of which that may be said.
void write_routine(const cppc::fortran::Program& program, const cppc::fortran::Flow& flow, const Site& site,
                   const std::map<Index, cppc::fortran::Ways>& dead, Point& point, std::set<std::string>& externals);

/// The file that the routines make.
std::string companion(const std::vector<Point>& points, const std::set<std::string>& externals);

}  // namespace cppc::rewrite::fortran
