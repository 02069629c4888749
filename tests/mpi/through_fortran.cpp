/// The programs here a second time, by way of MPI's functions for Fortran: through_MPI_Send() takes the arguments of
/// MPI_Send() and calls mpi_send_() as a program in Fortran does. All there is of a program's own are its variables;
/// numbers of handles are made at each call, and have to mean the same before and after a move.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // MPI_Attr_get and its like

// Common blocks of mpif.h, as f2c spells and defines them.
extern "C" {
int mpi_fortran_bottom__, mpi_fortran_in_place__, mpi_fortran_unweighted__, mpi_fortran_weights_empty__;
int mpi_fortran_status_ignore__[sizeof(MPI_Status) / sizeof(int)];
int mpi_fortran_statuses_ignore__[sizeof(MPI_Status) / sizeof(int)];
}

namespace {

constexpr std::size_t status_size = sizeof(MPI_Status) / sizeof(MPI_Fint);

#define HANDLES(DO)                  \
  DO(MPI_Comm, MPI_Comm)             \
  DO(MPI_Datatype, MPI_Type)         \
  DO(MPI_Errhandler, MPI_Errhandler) \
  DO(MPI_File, MPI_File)             \
  DO(MPI_Group, MPI_Group)           \
  DO(MPI_Info, MPI_Info)             \
  DO(MPI_Message, MPI_Message)       \
  DO(MPI_Op, MPI_Op)                 \
  DO(MPI_Request, MPI_Request)       \
  DO(MPI_Win, MPI_Win)

#define CONVERT(type, name)                                      \
  MPI_Fint number_of(type handle) { return name##_c2f(handle); } \
  void set(type* handle, MPI_Fint number) { *handle = name##_f2c(number); }
HANDLES(CONVERT)

template <class T>
concept Handle = requires(T handle) {
  number_of(handle);
};

/// An argument for Fortran: where it is, and for character variables how long.
template <class Parameter>
struct Passed;

template <std::integral Number>
struct Passed<Number> {
  explicit Passed(Number value) : value(value) {}
  void* address() { return &value; }
  void finish() {}
  Number value;
};

template <Handle T>
struct Passed<T> {
  explicit Passed(T handle) : number(number_of(handle)) {}
  void* address() { return &number; }
  void finish() {}
  MPI_Fint number;
};

/// A variable that has never been set is left at -1, in which there is no handle.
template <Handle T>
struct Passed<T*> {
  Passed(T* handle, bool is_set) : handle(handle), number(is_set ? number_of(*handle) : -1) {}
  explicit Passed(T* handle) : Passed(handle, false) {}
  void* address() { return &number; }
  void finish() { set(handle, number); }
  T* handle;
  MPI_Fint number;
};

template <class Pointed>
requires std::integral<std::remove_extent_t<Pointed>> || std::is_void_v<Pointed>
struct Passed<Pointed*> {
  explicit Passed(Pointed* given) : given(const_cast<std::remove_const_t<Pointed>*>(given)) {}
  void* address() {
    if constexpr (std::is_void_v<Pointed>) {
      if (given == MPI_BOTTOM) return &mpi_fortran_bottom__;
      if (given == MPI_IN_PLACE) return &mpi_fortran_in_place__;
    }
    if constexpr (std::same_as<std::remove_const_t<Pointed>, int>) {
      if (given == MPI_UNWEIGHTED) return &mpi_fortran_unweighted__;
      if (given == MPI_WEIGHTS_EMPTY) return &mpi_fortran_weights_empty__;
    }
    return given;
  }
  void finish() {}
  std::remove_const_t<Pointed>* given;
};

template <class Status>
requires std::same_as<std::remove_const_t<Status>, MPI_Status>
struct Passed<Status*> {
  explicit Passed(Status* status) : status(status) {
    if (status != MPI_STATUS_IGNORE) PMPI_Status_c2f(status, integers.data());
  }
  void* address() { return status != MPI_STATUS_IGNORE ? integers.data() : mpi_fortran_status_ignore__; }
  void finish() {
    if constexpr (!std::is_const_v<Status>)
      if (status != MPI_STATUS_IGNORE) PMPI_Status_f2c(integers.data(), status);
  }
  Status* status;
  std::array<MPI_Fint, status_size> integers{};
};

/// With blanks around it, which do not count.
template <>
struct Passed<const char*> {
  explicit Passed(const char* text) : text(" " + std::string(text) + "   ") {}
  void* address() { return text.data(); }
  void finish() {}
  std::string text;
};

template <>
struct Passed<char*> {
  explicit Passed(char* out) : out(out), text(300, '#') {}
  void* address() { return text.data(); }
  void finish() {
    const std::size_t last = text.find_last_not_of(' ');
    text.copy(out, last + 1);
    out[last + 1] = '\0';
  }
  char* out;
  std::string text;
};

template <class Parameter>
constexpr bool is_text = std::same_as<Parameter, char*> || std::same_as<Parameter, const char*>;

/// Calls a function of Fortran that has as many character variables.
template <std::size_t Texts, class Fortran, class... Addresses>
void call_fortran(Fortran* function, const std::vector<int>& lengths, MPI_Fint* error, Addresses... addresses) {
  if constexpr (Texts == 0) function(addresses..., error);
  if constexpr (Texts == 1) function(addresses..., error, lengths[0]);
  if constexpr (Texts == 2) function(addresses..., error, lengths[0], lengths[1]);
}

/// Handles that the function takes, besides one that it only sets.
template <class Parameter>
Passed<Parameter> pass(Parameter value, [[maybe_unused]] bool takes) {
  if constexpr (std::is_constructible_v<Passed<Parameter>, Parameter, bool>)
    return Passed<Parameter>(value, takes);
  else
    return Passed<Parameter>(value);
}

/// Whether the function named so takes what it gets a pointer to; others only set it.
template <class Parameter>
constexpr bool takes(std::string_view name) {
  if constexpr (std::same_as<Parameter, MPI_Message*>) return name.ends_with("recv");
  for (const std::string_view end : {"free", "disconnect", "close", "cancel", "commit", "wait", "test", "start"})
    if (name.ends_with(end)) return true;
  return false;
}

/// As the function of C, by that of Fortran.
template <auto Fortran, const std::string_view& name, class... Parameters>
struct Through {
  static int call(Parameters... given) {
    std::tuple<Passed<Parameters>...> passed{pass<Parameters>(given, takes<Parameters>(name))...};
    return std::apply(
        [](auto&... one) {
          std::vector<int> lengths;
          ((is_text<Parameters> ? lengths.push_back(length_of(one)) : void()), ...);
          MPI_Fint error = -1;
          call_fortran<(0 + ... + (is_text<Parameters> ? 1 : 0))>(Fortran, lengths, &error, one.address()...);
          (one.finish(), ...);
          return error;
        },
        passed);
  }
  template <class One>
  static int length_of(const One& one) {
    if constexpr (requires { one.text; }) return static_cast<int>(one.text.size());
    return 0;
  }
};

template <auto Fortran, const std::string_view& name, class... Parameters>
auto through(int (*)(Parameters...)) -> int (*)(Parameters...) {
  return Through<Fortran, name, Parameters...>::call;
}

template <Handle T>
struct List {
  List(const T* handles, int count) : numbers(static_cast<std::size_t>(count)) {
    for (int i = 0; i < count; ++i) numbers[static_cast<std::size_t>(i)] = number_of(handles[i]);
  }
  void finish(T* handles) {
    for (std::size_t i = 0; i < numbers.size(); ++i) set(&handles[i], numbers[i]);
  }
  std::vector<MPI_Fint> numbers;
};

struct Statuses {
  Statuses(MPI_Status* given, int count) : given(given), integers(static_cast<std::size_t>(count) * status_size) {}
  void* address() { return given != MPI_STATUSES_IGNORE ? integers.data() : mpi_fortran_statuses_ignore__; }
  void finish(int count) {
    for (int i = 0; given != MPI_STATUSES_IGNORE && i < count; ++i)
      PMPI_Status_f2c(&integers[static_cast<std::size_t>(i) * status_size], &given[i]);
  }
  MPI_Status* given;
  std::vector<MPI_Fint> integers;
};

int partners(MPI_Comm comm) {
  int remote, size;
  MPI_Comm_test_inter(comm, &remote);
  remote ? MPI_Comm_remote_size(comm, &size) : MPI_Comm_size(comm, &size);
  return size;
}

}  // namespace

extern "C" {

// What the library has: any arguments by reference, the error, the lengths of character variables.
#define FORTRAN(c, lower, ...) void lower##_(...);
#define FORTRAN_TEXT FORTRAN
#define FORTRAN_OWN(c, lower, ...) void lower##_(...);
#define FORTRAN_REQUESTS FORTRAN_OWN
#define FORTRAN_REFUSED(...)
#include "cppc/mpi/fortran.def"
#undef FORTRAN
#undef FORTRAN_TEXT
#undef FORTRAN_OWN

}  // extern "C"

#define FORTRAN(c, lower, ...) static constexpr std::string_view lower##_name = #lower;
#define FORTRAN_TEXT FORTRAN
#define FORTRAN_OWN(...)
#include "cppc/mpi/fortran.def"
#undef FORTRAN
#undef FORTRAN_TEXT

extern "C" {

// Functions, which only the loader binds to what the templates make: cppc has to see no pointers.
#define FORTRAN(c, lower, ...)                                               \
  static auto make_##lower() { return through<lower##_, lower##_name>(&c); } \
  decltype(c) through_##lower __attribute__((ifunc("make_" #lower)));
#define FORTRAN_TEXT FORTRAN
#include "cppc/mpi/fortran.def"

int through_init(int*, char***) {
  MPI_Fint wanted = MPI_THREAD_SINGLE, given = -1, error;
  mpi_init_thread_(&wanted, &given, &error);
  return given >= wanted ? error : MPI_ERR_OTHER;
}

// Lists of handles, and indices, which count from 1.

int through_startall(int count, MPI_Request* requests) {
  List list(requests, count);
  MPI_Fint error;
  mpi_startall_(&count, list.numbers.data(), &error);
  list.finish(requests);
  return error;
}

int through_waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  List list(requests, count);
  Statuses said(statuses, count);
  MPI_Fint error;
  mpi_waitall_(&count, list.numbers.data(), said.address(), &error);
  list.finish(requests);
  said.finish(count);
  return error;
}

int through_testall(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  List list(requests, count);
  Statuses said(statuses, count);
  MPI_Fint error;
  mpi_testall_(&count, list.numbers.data(), flag, said.address(), &error);
  list.finish(requests);
  if (*flag) said.finish(count);
  return error;
}

int through_waitany(int count, MPI_Request* requests, int* index, MPI_Status* status) {
  List list(requests, count);
  Statuses said(status, 1);
  MPI_Fint error;
  mpi_waitany_(&count, list.numbers.data(), index, said.address(), &error);
  if (*index != MPI_UNDEFINED) --*index;
  list.finish(requests);
  said.finish(1);
  return error;
}

int through_testany(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  List list(requests, count);
  Statuses said(status, 1);
  MPI_Fint error;
  mpi_testany_(&count, list.numbers.data(), index, flag, said.address(), &error);
  if (*index != MPI_UNDEFINED) --*index;
  list.finish(requests);
  said.finish(1);
  return error;
}

int through_waitsome(int count, MPI_Request* requests, int* completed, int* indices, MPI_Status* statuses) {
  List list(requests, count);
  Statuses said(statuses, count);
  MPI_Fint error;
  mpi_waitsome_(&count, list.numbers.data(), completed, indices, said.address(), &error);
  for (int i = 0; i < *completed; ++i) --indices[i];
  list.finish(requests);
  said.finish(*completed);
  return error;
}

int through_testsome(int count, MPI_Request* requests, int* completed, int* indices, MPI_Status* statuses) {
  List list(requests, count);
  Statuses said(statuses, count);
  MPI_Fint error;
  mpi_testsome_(&count, list.numbers.data(), completed, indices, said.address(), &error);
  for (int i = 0; i < *completed; ++i) --indices[i];
  list.finish(requests);
  said.finish(*completed);
  return error;
}

int through_struct(int count, const int* lengths, const MPI_Aint* displacements, const MPI_Datatype* types,
                   MPI_Datatype* made) {
  List list(types, count);
  MPI_Fint number = -1, error;
  mpi_type_create_struct_(&count, lengths, displacements, list.numbers.data(), &number, &error);
  set(made, number);
  return error;
}

int through_contents(MPI_Datatype type, int integers, int addresses, int datatypes, int* all_integers,
                     MPI_Aint* all_addresses, MPI_Datatype* all_datatypes) {
  std::vector<MPI_Fint> numbers(static_cast<std::size_t>(datatypes), -1);
  MPI_Fint number = number_of(type), error;
  mpi_type_get_contents_(&number, &integers, &addresses, &datatypes, all_integers, all_addresses, numbers.data(),
                         &error);
  for (std::size_t i = 0; i < numbers.size(); ++i) set(&all_datatypes[i], numbers[i]);
  return error;
}

int through_alltoallw(const void* from, const int* counts, const int* displacements, const MPI_Datatype* types,
                      void* to, const int* to_counts, const int* to_displacements, const MPI_Datatype* to_types,
                      MPI_Comm comm) {
  const bool in_place = from == MPI_IN_PLACE;
  List list(types, in_place ? 0 : partners(comm)), to_list(to_types, partners(comm));
  MPI_Fint number = number_of(comm), error;
  mpi_alltoallw_(Passed<const void*>(from).address(), counts, displacements, list.numbers.data(), to, to_counts,
                 to_displacements, to_list.numbers.data(), &number, &error);
  return error;
}

int through_ialltoallw(const void* from, const int* counts, const int* displacements, const MPI_Datatype* types,
                       void* to, const int* to_counts, const int* to_displacements, const MPI_Datatype* to_types,
                       MPI_Comm comm, MPI_Request* request) {
  List list(types, partners(comm)), to_list(to_types, partners(comm));
  MPI_Fint number = number_of(comm), started = -1, error;
  mpi_ialltoallw_(from, counts, displacements, list.numbers.data(), to, to_counts, to_displacements,
                  to_list.numbers.data(), &number, &started, &error);
  set(request, started);
  return error;
}

int through_op_create(MPI_User_function* function, int commutes, MPI_Op* op) {
  MPI_Fint number = -1, error;
  mpi_op_create_(function, &commutes, &number, &error);
  set(op, number);
  return error;
}

int through_info_get(MPI_Info info, const char* key, int length, char* value, int* found) {
  MPI_Fint number = number_of(info), error;
  std::string text(static_cast<std::size_t>(length) + 3, '#');
  mpi_info_get_(&number, key, &length, text.data(), found, &error, static_cast<int>(std::strlen(key)),
                static_cast<int>(text.size()));
  if (*found) {
    text.resize(text.find_last_not_of(' ') + 1);
    std::strcpy(value, text.c_str());
  }
  return error;
}

}  // extern "C"
