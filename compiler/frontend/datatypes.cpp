#include "datatypes.hpp"

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <string_view>
#include <utility>

namespace cppc::frontend {

namespace {

/// The object that Open MPI's constant is the address of.
const clang::VarDecl* object_of(const clang::Stmt* s) {
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(s)) return llvm::dyn_cast<clang::VarDecl>(name->getDecl());
  const clang::VarDecl* found = nullptr;
  for (const clang::Stmt* child : s->children())
    if (child != nullptr && found == nullptr) found = object_of(child);
  return found;
}

}  // namespace

std::optional<std::uint64_t> size_of_datatype(const clang::Expr* datatype, const clang::ASTContext& context) {
  const clang::VarDecl* object = object_of(datatype);
  if (object == nullptr || !object->hasExternalStorage()) return {};
  const std::pair<std::string_view, clang::QualType> types[] = {
      {"ompi_mpi_char", context.CharTy},
      {"ompi_mpi_signed_char", context.CharTy},
      {"ompi_mpi_unsigned_char", context.CharTy},
      {"ompi_mpi_byte", context.CharTy},
      {"ompi_mpi_short", context.ShortTy},
      {"ompi_mpi_unsigned_short", context.ShortTy},
      {"ompi_mpi_int", context.IntTy},
      {"ompi_mpi_unsigned", context.IntTy},
      {"ompi_mpi_long", context.LongTy},
      {"ompi_mpi_unsigned_long", context.LongTy},
      {"ompi_mpi_long_long_int", context.LongLongTy},
      {"ompi_mpi_unsigned_long_long", context.LongLongTy},
      {"ompi_mpi_float", context.FloatTy},
      {"ompi_mpi_double", context.DoubleTy},
      {"ompi_mpi_int8_t", context.CharTy},
      {"ompi_mpi_uint8_t", context.CharTy},
      {"ompi_mpi_int16_t", context.ShortTy},
      {"ompi_mpi_uint16_t", context.ShortTy},
      {"ompi_mpi_int32_t", context.IntTy},
      {"ompi_mpi_uint32_t", context.IntTy},
      {"ompi_mpi_int64_t", context.LongLongTy},
      {"ompi_mpi_uint64_t", context.LongLongTy},
  };
  for (const auto& [name, type] : types)
    if (object->getName() == llvm::StringRef(name)) return context.getTypeSizeInChars(type).getQuantity();
  return {};
}

}  // namespace cppc::frontend
