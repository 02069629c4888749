#include "types.hpp"

#include <clang/AST/Decl.h>
#include <clang/AST/RecordLayout.h>

namespace cppc::rewrite {

namespace {

const clang::RecordDecl* record_of(clang::QualType type) {
  const auto* record = type->getAs<clang::RecordType>();
  return record != nullptr ? record->getDecl()->getDefinition() : nullptr;
}

std::string spell(const clang::ASTContext& context, clang::QualType type) {
  if (const auto* record = type->getAs<clang::RecordType>(); record != nullptr) {
    if (const auto* name = record->getDecl()->getTypedefNameForAnonDecl()) return name->getNameAsString();
    if (record->getDecl()->getIdentifier() == nullptr) return {};
  }
  return clang::QualType(context.getCanonicalType(type)).getUnqualifiedType().getAsString(context.getPrintingPolicy());
}

/// Integers that headers define as another type on each machine: the one that is as large on all of them.
const char* standard_integer(const std::string& name) {
  static const std::map<std::string, const char*> by_name = {
      {"int8_t", "&cppc_type_signed_char"},   {"uint8_t", "&cppc_type_unsigned_char"},
      {"int16_t", "&cppc_type_short"},        {"uint16_t", "&cppc_type_unsigned_short"},
      {"int32_t", "&cppc_type_int"},          {"uint32_t", "&cppc_type_unsigned_int"},
      {"int64_t", "&cppc_type_long_long"},    {"uint64_t", "&cppc_type_unsigned_long_long"},
      {"intmax_t", "&cppc_type_long_long"},   {"uintmax_t", "&cppc_type_unsigned_long_long"},
      {"ssize_t", "&cppc_type_long"},         {"size_t", "&cppc_type_unsigned_long"},
      {"intptr_t", "&cppc_type_long"},        {"uintptr_t", "&cppc_type_unsigned_long"},
      {"ptrdiff_t", "&cppc_type_long"},       {"MPI_Aint", "&cppc_type_long"},
      {"MPI_Offset", "&cppc_type_long_long"}, {"MPI_Count", "&cppc_type_long_long"},
      {"MPI_Fint", "&cppc_type_int"},
  };
  const auto found = by_name.find(name);
  return found != by_name.end() ? found->second : nullptr;
}

const char* builtin(const clang::BuiltinType* type) {
  using Kind = clang::BuiltinType;
  switch (type->getKind()) {
    case Kind::Bool:
      return "&cppc_type_bool";
    case Kind::Char_S:
    case Kind::Char_U:
      return "&cppc_type_char";
    case Kind::SChar:
      return "&cppc_type_signed_char";
    case Kind::UChar:
      return "&cppc_type_unsigned_char";
    case Kind::Short:
      return "&cppc_type_short";
    case Kind::UShort:
      return "&cppc_type_unsigned_short";
    case Kind::Int:
      return "&cppc_type_int";
    case Kind::UInt:
      return "&cppc_type_unsigned_int";
    case Kind::Long:
      return "&cppc_type_long";
    case Kind::ULong:
      return "&cppc_type_unsigned_long";
    case Kind::LongLong:
      return "&cppc_type_long_long";
    case Kind::ULongLong:
      return "&cppc_type_unsigned_long_long";
    case Kind::Float:
      return "&cppc_type_float";
    case Kind::Double:
      return "&cppc_type_double";
    case Kind::LongDouble:
      return "&cppc_type_long_double";
    default:
      return nullptr;
  }
}

}  // namespace

const char* handle(clang::QualType type) {
  static const std::map<std::string, const char*> by_record = {{"ompi_communicator_t", "&cppc_type_mpi_comm"},
                                                               {"ompi_datatype_t", "&cppc_type_mpi_datatype"},
                                                               {"ompi_op_t", "&cppc_type_mpi_op"},
                                                               {"ompi_group_t", "&cppc_type_mpi_group"},
                                                               {"ompi_request_t", "&cppc_type_mpi_request"},
                                                               {"ompi_info_t", "&cppc_type_mpi_info"},
                                                               {"ompi_errhandler_t", "&cppc_type_mpi_errhandler"},
                                                               {"ompi_file_t", "&cppc_type_mpi_file"},
                                                               {"ompi_win_t", "&cppc_type_mpi_win"},
                                                               {"ompi_message_t", "&cppc_type_mpi_message"},
                                                               {"_IO_FILE", "&cppc_type_file"}};
  static const std::map<std::string, const char*> by_name = {{"MPI_Comm", "&cppc_type_mpi_comm"},
                                                             {"MPI_Datatype", "&cppc_type_mpi_datatype"},
                                                             {"MPI_Op", "&cppc_type_mpi_op"},
                                                             {"MPI_Group", "&cppc_type_mpi_group"},
                                                             {"MPI_Request", "&cppc_type_mpi_request"},
                                                             {"MPI_Info", "&cppc_type_mpi_info"},
                                                             {"MPI_Errhandler", "&cppc_type_mpi_errhandler"},
                                                             {"MPI_File", "&cppc_type_mpi_file"},
                                                             {"MPI_Win", "&cppc_type_mpi_win"},
                                                             {"MPI_Message", "&cppc_type_mpi_message"}};
  for (clang::QualType t = type; const auto* name = t->getAs<clang::TypedefType>(); t = name->desugar())
    if (const auto found = by_name.find(name->getDecl()->getNameAsString()); found != by_name.end())
      return found->second;
  if (!type->isPointerType()) return nullptr;
  const auto* record = type->getPointeeType()->getAs<clang::RecordType>();
  if (record == nullptr) return nullptr;
  const auto found = by_record.find(record->getDecl()->getNameAsString());
  return found != by_record.end() ? found->second : nullptr;
}

bool has_references(const clang::ASTContext& context, clang::QualType type) {
  type = context.getBaseElementType(type);
  if (type->isPointerType() || handle(type) != nullptr) return true;
  const clang::RecordDecl* record = record_of(type);
  if (record == nullptr) return false;
  return std::ranges::any_of(record->fields(), [&](const auto* f) { return has_references(context, f->getType()); });
}

std::string declaration(const clang::ASTContext& context, clang::QualType type, const std::string& name) {
  std::string text;
  llvm::raw_string_ostream out(text);
  type.getAtomicUnqualifiedType().print(out, context.getPrintingPolicy(), name);
  return text;
}

bool is_local(clang::QualType type) {
  if (type->isPointerType()) return is_local(type->getPointeeType());
  if (const auto* array = type->getAsArrayTypeUnsafe()) return is_local(array->getElementType());
  const auto* record = type->getAs<clang::RecordType>();
  return record != nullptr && record->getDecl()->getParentFunctionOrMethod() != nullptr;
}

std::optional<std::string> Types::obstacle(clang::QualType type) const {
  type = context_.getBaseElementType(type);
  const clang::RecordDecl* record = record_of(type);
  if (record == nullptr) {
    if (type->isRecordType()) return "the type '" + type.getAsString() + "' is not defined here";
    return {};
  }
  if (record->isUnion() && has_references(context_, type))
    return "the union '" + type.getAsString() + "' holds a pointer or something else";
  if (is_local(type) && has_references(context_, type))
    return "the type '" + type.getAsString() + "' holds pointers and is declared inside a function";
  for (const auto* field : record->fields())
    if (auto why = obstacle(field->getType())) return why;
  return {};
}

std::string Types::list() const {
  std::string all;
  for (const auto& [spelling, name] : known_) all += "  &" + name + ",\n";
  return all;
}

std::string Types::raw(clang::CharUnits bytes) { return std::to_string(bytes.getQuantity()); }

Shape Types::shape(clang::QualType type, const std::string& given) {
  std::string count = "1", spelling = given;
  while (const auto* array = context_.getAsArrayType(type)) {
    type = array->getElementType();
    if (!spelling.empty()) spelling = "__typeof__((*(" + spelling + "*)0)[0])";
    if (const auto* fixed = llvm::dyn_cast<clang::ConstantArrayType>(array)) {
      const std::string extent = std::to_string(fixed->getSize().getZExtValue());
      if (!count.empty()) count = count == "1" ? extent : count + " * " + extent;
    } else if (llvm::isa<clang::IncompleteArrayType>(array)) {
      count = "0";
    } else {
      count.clear();
    }
  }
  std::string described = element(type, spelling);
  if (described == "&cppc_type_bytes" && !count.empty() && count != "0") {
    const auto size = context_.getTypeSizeInChars(type);
    if (size.getQuantity() != 1) count += " * " + raw(size);
  }
  return {described, count};
}

std::string Types::element(clang::QualType type, const std::string& spelling) {
  if (const char* known = handle(type)) return known;
  if (const auto* atomic = type->getAs<clang::AtomicType>()) return element(atomic->getValueType(), spelling);
  if (type->isFunctionPointerType()) return "&cppc_type_function";
  if (type->isPointerType() || type->isBlockPointerType()) return "&cppc_type_pointer";
  if (const auto* enumeration = type->getAs<clang::EnumType>())
    return element(enumeration->getDecl()->getIntegerType(), {});
  if (const auto* complex = type->getAs<clang::ComplexType>()) {
    const auto* part = complex->getElementType()->getAs<clang::BuiltinType>();
    if (part->getKind() == clang::BuiltinType::Float) return "&cppc_type_float_complex";
    if (part->getKind() == clang::BuiltinType::Double) return "&cppc_type_double_complex";
    return "&cppc_type_bytes";
  }
  if (const std::string named = integer(type); !named.empty()) return named;
  if (const auto* plain = type->getAs<clang::BuiltinType>()) {
    const char* known = builtin(plain);
    return known != nullptr ? known : "&cppc_type_bytes";
  }
  if (const clang::RecordDecl* described = record_of(type)) return record(described, type, spelling);
  return "&cppc_type_bytes";
}

/// An integer by a name that may be another type's elsewhere. Empty: it has none.
std::string Types::integer(clang::QualType type) {
  if (!type->isIntegerType() || type->isBooleanType()) return {};
  std::string outermost;
  for (clang::QualType t = type; const auto* name = t->getAs<clang::TypedefType>(); t = name->desugar()) {
    const std::string own = name->getDecl()->getNameAsString();
    if (const char* known = standard_integer(own)) return known;
    const bool everywhere = name->getDecl()->getDeclContext()->isTranslationUnit();
    if (outermost.empty() && everywhere) outermost = own;
  }
  if (outermost.empty()) return {};
  return scalar(outermost, "(" + outermost + ")-1 < (" + outermost + ")0 ? CPPC_SIGNED : CPPC_UNSIGNED",
                "sizeof(" + outermost + ")");
}

/// A type without members that the runtime does not have.
std::string Types::scalar(const std::string& named, const std::string& kind, const std::string& bytes) {
  const auto [entry, added] = known_.try_emplace(named, prefix_ + "type_" + std::to_string(known_.size() + 1));
  if (added) {
    declarations_ += "static const cppc_type " + entry->second + ";\n";
    definitions_ +=
        "static const cppc_type " + entry->second + " = {" + kind + ", " + bytes + ", \"" + named + "\", 0, 0};\n";
  }
  return "&" + entry->second;
}

std::string Types::record(const clang::RecordDecl* record, clang::QualType type, const std::string& given) {
  if (!has_references(context_, type) && (record->isUnion() || is_local(type))) return "&cppc_type_bytes";
  std::string spelling = spell(context_, type);
  if (spelling.empty()) spelling = given;
  if (spelling.empty()) return "&cppc_type_bytes";
  if (const auto found = known_.find(spelling); found != known_.end()) return "&" + found->second;
  const std::string name = prefix_ + "type_" + std::to_string(known_.size() + 1);
  known_.emplace(spelling, name);
  declarations_ += "static const cppc_type " + name + ";\n";
  std::string fields;
  add_fields(record, spelling, 0, fields);
  std::string shown;
  for (const char c : spelling) shown += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  if (fields.empty()) {
    definitions_ +=
        "static const cppc_type " + name + " = {CPPC_STRUCT, sizeof(" + spelling + "), \"" + shown + "\", 0, 0};\n";
  } else {
    definitions_ += "static const cppc_field " + name + "_fields[] = {\n" + fields + "};\n";
    definitions_ += "static const cppc_type " + name + " = {CPPC_STRUCT, sizeof(" + spelling + "), \"" + shown +
                    "\", " + name + "_fields, sizeof " + name + "_fields / sizeof *" + name + "_fields};\n";
  }
  return "&" + name;
}

void Types::add_fields(const clang::RecordDecl* record, const std::string& spelling, std::uint64_t base,
                       std::string& fields) {
  const clang::ASTRecordLayout& layout = context_.getASTRecordLayout(record);
  const auto line = [&](const std::string& name, const std::string& offset, const Shape& shape) {
    fields += "  {\"" + name + "\", " + offset + ", " + shape.type + ", " + shape.count + "},\n";
  };
  std::uint64_t bits_begin = 0, bits_end = 0;
  std::string bits, names;
  const auto close_bits = [&] {
    if (bits_end > bits_begin)
      line("(bits" + names + ")", std::to_string(bits_begin / 8),
           {scalar("bits" + bits, "CPPC_BYTES", std::to_string((bits_end + 7) / 8 - bits_begin / 8)), "1"});
    bits_begin = bits_end = 0;
    bits.clear();
    names.clear();
  };
  unsigned index = 0;
  for (const clang::FieldDecl* field : record->fields()) {
    const std::uint64_t offset = base + layout.getFieldOffset(index++);
    if (field->isBitField()) {
      const std::uint64_t width = field->getBitWidthValue(context_);
      if (width == 0) continue;
      if (bits_end == 0 || offset / 8 != (bits_end - 1) / 8) {
        if (bits_end == 0 || offset != bits_end) {
          close_bits();
          bits_begin = offset;
        }
      }
      bits_end = offset + width;
      bits += " " + std::to_string(offset - bits_begin / 8 * 8) + ":" + std::to_string(width);
      names += " " + field->getNameAsString();
      continue;
    }
    close_bits();
    const clang::RecordDecl* inner = record_of(field->getType());
    if (field->isAnonymousStructOrUnion()) {
      if (inner->isUnion() || inner->fields().empty()) {
        line("(anonymous)", std::to_string(offset / 8),
             {"&cppc_type_bytes", raw(context_.getTypeSizeInChars(field->getType()))});
      } else {
        add_fields(inner, spelling, offset, fields);  // offsetof() finds its members in the outer structure
      }
      continue;
    }
    const std::string name = field->getNameAsString();
    line(name, "offsetof(" + spelling + ", " + name + ")",
         shape(field->getType(), "__typeof__(((" + spelling + "*)0)->" + name + ")"));
  }
  close_bits();
}

}  // namespace cppc::rewrite
