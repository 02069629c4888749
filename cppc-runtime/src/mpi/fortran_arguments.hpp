/// Arguments of Fortran, which all come by reference, as arguments of the function of C that they lead to. What they
/// become is said by the type of the function's parameter. A LOGICAL is an integer, true 1 and false 0: as of gfortran
/// and of f2c.
#pragma once

#include <mpi.h>

#include <concepts>
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>

#include "mpi/fortran_handles.hpp"
#include "mpi/program_list.hpp"

namespace cppc::mpi::fortran {

static_assert(sizeof(MPI_Fint) == sizeof(int) && sizeof(MPI_Status) % sizeof(MPI_Fint) == 0);

// What a program says by the address of a common block of mpif.h, in C.
void* buffer(void* given);   ///< MPI_BOTTOM, MPI_IN_PLACE
int* weights(void* given);   ///< MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY
bool ignored(void* status);  ///< MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE

/// Without blanks around it.
std::string text(const void* given, int length);

/// With blanks behind it, cut where it is too long.
void set_text(void* given, int length, const char* text);

template <class T>
T load(const void* given) {
  T value;
  std::memcpy(&value, given, sizeof value);
  return value;
}

template <class T>
void store(void* given, T value) {
  std::memcpy(given, &value, sizeof value);
}

template <FortranHandle Handle>
Handle handle_at(const void* given) {
  return from_fortran<Handle>(load<MPI_Fint>(given));
}

/// Where an argument is, and the length of a character variable.
struct Given {
  void* address;
  int length;
};

/// get() is the argument in C; finish() passes on what the function has left there.
template <class Parameter>
class Argument;

template <std::integral Number>
class Argument<Number> {
 public:
  explicit Argument(Given given) : value_(load<Number>(given.address)) {}
  [[nodiscard]] Number get() const { return value_; }
  void finish(int /*status*/) {}

 private:
  Number value_;
};

template <FortranHandle Handle>
class Argument<Handle> {
 public:
  explicit Argument(Given given) : value_(handle_at<Handle>(given.address)) {}
  [[nodiscard]] Handle get() const { return value_; }
  void finish(int /*status*/) {}

 private:
  Handle value_;
};

/// Set, or changed: the number is as it was when the handle is, so that a request that goes on keeps its number.
template <FortranHandle Handle>
class Argument<Handle*> {
 public:
  explicit Argument(Given given) : place_(given.address), before_(handle_at<Handle>(place_)), value_(before_) {}
  [[nodiscard]] Handle* get() { return &value_; }
  void finish(int /*status*/) {
    if (value_ != before_) store(place_, to_fortran(value_));
  }

 private:
  void* place_;
  Handle before_, value_;
};

/// Of integers of any size, and of lists of triples.
template <class Pointed>
requires std::integral<std::remove_extent_t<Pointed>>
class Argument<Pointed*> {
 public:
  explicit Argument(Given given) : value_(given.address) {}
  [[nodiscard]] Pointed* get() const {
    if constexpr (std::same_as<std::remove_const_t<Pointed>, int>)
      return weights(value_);
    else
      return static_cast<Pointed*>(value_);
  }
  void finish(int /*status*/) {}

 private:
  void* value_;
};

template <class Void>
requires std::is_void_v<Void>
class Argument<Void*> {
 public:
  explicit Argument(Given given) : value_(buffer(given.address)) {}
  [[nodiscard]] void* get() const { return value_; }
  void finish(int /*status*/) {}

 private:
  void* value_;
};

/// INTEGER(MPI_STATUS_SIZE) has a status as it is, but need not lie where a status of C may.
template <class Status>
requires std::same_as<std::remove_const_t<Status>, MPI_Status>
class Argument<Status*> {
 public:
  explicit Argument(Given given) : place_(ignored(given.address) ? nullptr : given.address) {
    if (place_ != nullptr) value_ = load<MPI_Status>(place_);
  }
  [[nodiscard]] Status* get() { return place_ != nullptr ? &value_ : MPI_STATUS_IGNORE; }
  void finish(int /*status*/) {
    if (!std::is_const_v<Status> && place_ != nullptr) store(place_, value_);
  }

 private:
  void* place_;
  MPI_Status value_;
};

template <>
class Argument<const char*> {
 public:
  explicit Argument(Given given) : value_(text(given.address, given.length).c_str()) {}
  [[nodiscard]] const char* get() const { return value_.c_str(); }
  void finish(int /*status*/) {}

 private:
  ProgramText value_;
};

/// Of what MPI says, port names are the longest.
template <>
class Argument<char*> {
 public:
  explicit Argument(Given given) : given_(given), value_(MPI_MAX_PORT_NAME + 1, '\0') {}
  [[nodiscard]] char* get() { return value_.data(); }
  void finish(int status) {
    if (status == MPI_SUCCESS) set_text(given_.address, given_.length, value_.c_str());
  }

 private:
  Given given_;
  std::string value_;
};

/// `count` handles, passed on as one is.
template <FortranHandle Handle>
class Handles {
 public:
  Handles(void* place, int count) : place_(static_cast<std::byte*>(place)) {
    for (int i = 0; i < count; ++i) before_.push_back(handle_at<Handle>(place_ + i * sizeof(MPI_Fint)));
    values_ = before_;
  }
  [[nodiscard]] Handle* get() { return values_.data(); }
  [[nodiscard]] const ProgramList<Handle>& values() const { return values_; }
  void finish() {
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (values_[i] != before_[i]) store(place_ + i * sizeof(MPI_Fint), to_fortran(values_[i]));
  }

 private:
  std::byte* place_;
  ProgramList<Handle> before_, values_;
};

class Statuses {
 public:
  Statuses(void* place, int count) : place_(ignored(place) ? nullptr : static_cast<std::byte*>(place)) {
    if (place_ == nullptr || count <= 0) return;
    values_.resize(static_cast<std::size_t>(count));
    std::memcpy(values_.data(), place_, values_.size() * sizeof(MPI_Status));
  }
  [[nodiscard]] MPI_Status* get() { return place_ != nullptr ? values_.data() : MPI_STATUSES_IGNORE; }
  void finish() {
    if (!values_.empty()) std::memcpy(place_, values_.data(), values_.size() * sizeof(MPI_Status));
  }

 private:
  std::byte* place_;
  ProgramList<MPI_Status> values_;
};

/// Whether the calls of Open MPI's modules come here, and not past libcppc to Open MPI's own functions.
bool comes_first();

/// Open MPI's own Fortran function of this name, null when the program is linked without them.
void* next_function(const char* name);

}  // namespace cppc::mpi::fortran
