/// Programs in Fortran, whose state is kept by address.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontend/fortran/tree.hpp"
#include "models/models.hpp"

namespace cppc {

bool is_fortran(const std::string& file);

struct FortranProgram {
  std::vector<fortran::Command> commands;                   ///< without arguments: it is not to be looked at
  std::vector<std::string> objects;                         ///< by command: what it was compiled to
  std::vector<std::int64_t> compiled;                       ///< and when, as std::filesystem counts; 0: it is now
  std::vector<frontend::LeftOut> left_out;                  ///< those that are not to be looked at
  std::vector<std::optional<std::set<std::string>>> names;  ///< by command: that its object has for the linker
  std::optional<std::set<std::string>> outside;             ///< those of all that is linked and has no command
  std::vector<fortran::Command> modules;  ///< sources that are no part of the program but for their modules
  std::string intrinsic_modules;          ///< the directory of flang's
};

struct FortranTranslation {
  std::map<fortran::Index, std::string> texts;  ///< of the files that change, by number of the command
  std::string companion;                        ///< the routines that they call, in C; empty when there are none
  nlohmann::json report;
};

/// Prints warnings. `most_steps`: of following what procedures are given, and what becomes of arrays.
FortranTranslation translate_fortran(const FortranProgram& program, const models::Models& models,
                                     std::uint64_t most_steps);

}  // namespace cppc
