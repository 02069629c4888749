#include "image_types.hpp"

namespace cppc::migration {
namespace {

image::Class class_of(cppc_kind kind) {
  switch (kind) {
    case CPPC_SIGNED:
      return image::Class::signed_integer;
    case CPPC_UNSIGNED:
      return image::Class::unsigned_integer;
    case CPPC_FLOAT:
      return image::Class::floating;
    case CPPC_COMPLEX:
      return image::Class::complex;
    case CPPC_STRUCT:
      return image::Class::structure;
    case CPPC_BYTES:
      return image::Class::bytes;
    case CPPC_POINTER:
    case CPPC_FUNCTION:
    case CPPC_MPI_COMM:
    case CPPC_MPI_DATATYPE:
    case CPPC_MPI_OP:
    case CPPC_MPI_GROUP:
    case CPPC_MPI_REQUEST:
    case CPPC_MPI_INFO:
    case CPPC_MPI_ERRHANDLER:
    case CPPC_FILE:
    case CPPC_MPI_FILE:
    case CPPC_MPI_MESSAGE:
    case CPPC_MPI_WIN:
      return image::Class::reference;
  }
  return image::Class::bytes;
}

}  // namespace

std::shared_ptr<const image::Type> TypeTranslator::translate(const cppc_type* type) {
  if (const auto found = known_.find(type); found != known_.end()) return found->second;
  auto made = std::make_shared<image::Type>();
  made->cls = class_of(type->kind);
  made->size = type->size;
  made->name = type->name;
  for (const cppc_field* field = type->fields; field != type->fields + type->field_count; ++field)
    made->members.push_back({field->name, field->offset, field->count, translate(field->type)});
  known_.emplace(type, made);
  return made;
}

}  // namespace cppc::migration
