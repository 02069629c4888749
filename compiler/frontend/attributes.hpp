/// Attributes of declarations and statements. Those that are known to change nothing about which memory is read and
/// written, by which name, are on a list; what is not on it, or understood elsewhere, may do anything.
#pragma once

#include <clang/AST/Attr.h>
#include <llvm/ADT/StringRef.h>

namespace cppc::frontend {

/// Of a variable, function, parameter, member or type.
bool is_understood(const clang::Attr& attribute);

/// Of a statement.
bool is_hint(const clang::Attr& attribute);

/// One of GCC's that Clang does not know.
bool is_harmless_attribute(llvm::StringRef name);

}  // namespace cppc::frontend
