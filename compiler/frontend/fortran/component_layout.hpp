/// Where gfortran puts the components of a derived type.
#pragma once

#include <flang/Semantics/symbol.h>

#include <cstdint>
#include <optional>

namespace cppc::fortran {

/// Bytes from the beginning of a variable of this type to the component; nothing where one before it is of a kind that
/// is not understood here: of a derived type, polymorphic, a procedure pointer, of deferred length, or of 10 bytes.
std::optional<std::uint64_t> offset_of(const Fortran::semantics::Symbol& type,
                                       const Fortran::semantics::Symbol& component);

}  // namespace cppc::fortran
