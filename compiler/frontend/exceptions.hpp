/// C++: which calls may end with an exception.
#pragma once

#include <clang/AST/ExprCXX.h>

#include <map>

namespace cppc::frontend {

/// Whether an exception may come from a destructor.
bool may_throw_from(const clang::CXXDestructorDecl* destructor);

/// By the declaration of what is called or, where the file has it, by what its body calls.
class Exceptions {
 public:
  bool may_come_from(const clang::CallExpr* call);
  bool may_come_from(const clang::CXXConstructorDecl* constructor);

 private:
  bool may_leave(const clang::FunctionDecl* function);
  bool may_leave(const clang::Stmt* s);

  std::map<const clang::FunctionDecl*, bool> known_;  ///< true while it is looked at: one that calls itself may
};

}  // namespace cppc::frontend
