/// What the compiler defines of itself, such as __GNUC__ or __AVX2__. Clang defines other things: where the program's
/// files ask for one that differs, they would be other code for Clang than for the compiler.
#pragma once

#include <clang/Frontend/ASTUnit.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cppc::frontend {

/// By name, what follows that: " 12", or with parameters "(c) c ## L".
using Macros = std::map<std::string, std::string>;

/// Lines of `#define` and `#undef`, as `gcc -dM -E` prints them; others are left out.
Macros read_macros(std::string_view text);

/// The options with which Clang has GNU C's version as the compiler has it, and takes the headers of the system so.
std::vector<std::string> version_options(const Macros& compilers);

/// The option for a macro of the compiler's, or for one that it does not have.
std::string option_for(const std::string& name, const Macros& compilers);

/// Macros that files of the program mention, in `unit` as it was parsed, and that are something else for the compiler.
std::vector<std::string> mentioned_differences(const clang::ASTUnit& unit, const Macros& compilers);

}  // namespace cppc::frontend
