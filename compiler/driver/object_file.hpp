/// Object files and programs in ELF, for machines like this one (64 bits, same byte order): what the wrapper reads from
/// them and the section that it adds to objects.
///
/// The section survives archives and `ld -r`; the linker puts those of all the objects that it takes, one behind the
/// other, into the program, which so says what it was made of. It is never loaded.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "result.hpp"

namespace cppc::driver {

/// What an object or a program tells. From bytes that are no such file, or a damaged one, nothing is read.
struct ObjectFacts {
  bool is_elf = false;
  bool is_object = false;        ///< to be linked, rather than a program or a shared library
  std::string commands;          ///< contents of the section of commands
  bool defines_main = false;     ///< or what f2c makes of a program in Fortran
  bool names_mpi = false;        ///< defines or wants a symbol MPI_…, mpi_…
  bool wants_cxx = false;        ///< the runtime of C++
  bool wants_fortran = false;    ///< that of gfortran
  bool has_symbols = false;      ///< neither kind of symbol table has been stripped away
  std::size_t source_files = 0;  ///< of how many compilations it consists, as far as symbols tell
};

ObjectFacts read_object(std::span<const std::byte> bytes);

/// What the object or program at `path` tells.
ObjectFacts read_object_file(const std::string& path);

enum class Added { yes, not_elf };

/// Adds the section with `commands` to the object at `path`. Its other bytes stay what and where they are, and it is a
/// valid object at any moment.
Result<Added> add_commands(const std::string& path, std::string_view commands);

}  // namespace cppc::driver
