/// Large programs, made at random, that use what their language's codes use: functions that call each other, so that
/// all of the state may meet, loops over arrays, branches; in C linked structures and pointers, in C++ classes,
/// containers and templates, in Fortran modules, COMMON blocks and sections.
#pragma once

#include <string>

namespace cppc::bench {

/// Of about so many lines, always the same ones.
std::string c_program(int lines);
std::string cpp_program(int lines);
std::string fortran_program(int lines);

}  // namespace cppc::bench
