/// Open MPI's handles, constants and error codes as MPICH's, and back.
#pragma once

#include <mpi.h>

#include <type_traits>

namespace cppc::mpich {

/// A function of MPICH, found when it is called for the first time.
class Function {
 public:
  explicit constexpr Function(const char* name) : name_(name) {}

  template <class Pointer>
  Pointer as() {
    if (address_ == nullptr) address_ = find(name_);
    return reinterpret_cast<Pointer>(address_);
  }

 private:
  static void* find(const char* name);

  const char* name_;
  void* address_ = nullptr;
};

/// A variable of MPICH.
void* variable(const char* name);

/// Ends the process: the program calls what MPICH has not or this library does not translate.
[[noreturn]] void not_there(const char* function);

/// MPICH's handles are numbers, those of files addresses.
template <class Handle>
using RealOf = std::conditional_t<std::is_same_v<Handle, MPI_File>, void*, int>;

int real_number(const void* handle);
void* known_handle(int real);
void* real_file(MPI_File file);
MPI_File known_file(void* real);

template <class Handle>
RealOf<Handle> to_mpich(Handle handle) {
  if constexpr (std::is_same_v<Handle, MPI_File>)
    return real_file(handle);
  else
    return real_number(handle);
}

template <class Handle>
Handle to_ours(RealOf<Handle> real) {
  if constexpr (std::is_same_v<Handle, MPI_File>) {
    return known_file(real);
  } else {
    void* const known = known_handle(real);
    if constexpr (std::is_same_v<Handle, MPI_Message>)
      if (known == MPI_REQUEST_NULL) return MPI_MESSAGE_NULL;  // one number in MPICH
    return static_cast<Handle>(known);
  }
}

/// What constants are for (constants.def).
enum class Kind {
  RANK,
  KEYVAL,
  TOPOLOGY,
  COMBINER,
  ORDER,
  DISTRIBUTION,
  DARG,
  TYPECLASS,
  SPLIT,
  LOCK,
  MODEL,
  ASSERTION,
  ERROR,
  LAST_ERROR,
  SIZE,
  SAME
};

int to_mpich(Kind kind, int value);
int to_ours(Kind kind, int value);

/// A code that MPICH gives an error class or code of the program's: the number that Open MPI would give it.
int add_error(int code);
int last_error();

}  // namespace cppc::mpich
