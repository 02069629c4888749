/// What C++ has that C has not: names that overloads and instantiations have for the linker, types of the standard
/// library that the representation knows, members and classes.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>

#include <string>
#include <vector>

namespace cppc::frontend {

/// Whether it is declared in a header of the system, or one of the classes of MPI for C++.
bool is_of_system(const clang::Decl* declaration);

/// The name of a variable or function for the linker: that of C where it has one.
std::string linker_name(const clang::NamedDecl* declaration);

/// The name of a function of the standard library, with namespaces and classes, without arguments of templates:
/// "std::vector::push_back".
std::string library_name(const clang::FunctionDecl* function);

/// Whether a function of the library is lowered as those of the program are.
bool is_lowered_function(const clang::FunctionDecl* function);

/// What the representation takes an object of a type for.
enum class Kind : std::uint8_t {
  other,
  pointer,  ///< a pointer, or an iterator that is one
  owner,    ///< std::vector or std::unique_ptr: a pointer to a block that it owns
  array,    ///< std::array
};

Kind kind_of(clang::QualType type);

/// Of an owner or a std::array: what its block consists of.
clang::QualType element_of(clang::QualType type);

/// What a pointer leads to, or an iterator that is one.
clang::QualType pointee_of(clang::QualType type);

/// Whether nothing is left of a value of the type, or read of it, when it gets another one or is destroyed.
bool is_replaced(clang::QualType type);

/// Whether objects of a type are what the representation says of them, and what happens to them can be seen: no class
/// of the program with functions of its own, and none of the library's but owners.
bool is_simple(clang::QualType type);

/// Whether a value of the type is one pointer or number.
bool is_one_value(clang::QualType type);

/// Whether functions of the program may be called for an object of this type by a library that gets one.
bool calls_program(clang::QualType type);

/// The operator `new` or `delete` of the program itself.
bool replaces_allocation(const clang::FunctionDecl* function);

/// Whether a static variable with an initialiser has its value before the program runs, and it is not that of a class.
bool has_value_from_start(const clang::VarDecl* variable);

/// A destructor that does something; null when there is none to call.
const clang::CXXDestructorDecl* destructor_of(clang::QualType type);

/// Whether functions are called that are not known before the program runs.
bool is_virtual_call(const clang::CallExpr* call);

/// The object that a member function is called for: an lvalue, or a pointer to it; null when there is none.
const clang::Expr* object_of(const clang::CallExpr* call);

/// The arguments besides the object.
llvm::ArrayRef<const clang::Expr*> arguments_of(const clang::CallExpr* call);

/// A vector that a member function is called for, or a pointer to it.
bool is_vector(clang::QualType type);

/// The object, if there is one, and the arguments.
std::vector<const clang::Expr*> operands_of(const clang::CallExpr* call);

/// Whether what an element of the list initialises may be a reference.
bool refers(const clang::InitListExpr* list, unsigned i);

/// The base and the index of an element that is read or written by a[i], whatever operator that is of those that the
/// representation knows; null when it is something else.
struct Element {
  const clang::Expr* base = nullptr;
  const clang::Expr* index = nullptr;
};
Element element(const clang::Expr* e);

/// Whether a call of a container's or an iterator's member does no more than to say where something is.
bool only_locates(const clang::CallExpr* call);

}  // namespace cppc::frontend
