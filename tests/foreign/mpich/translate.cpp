#include "translate.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <unordered_map>
#include <vector>

#include "mpich.h"

namespace cppc::mpich {

namespace {

struct Constant {
  Kind kind;
  const char* name;
  int value;
};

constexpr Constant constants[] = {
#define CONSTANT(kind, name) {Kind::kind, #name, name},
#include "constants.def"
};

[[noreturn]] void die(const char* what, const char* why) {
  std::fprintf(stderr, "Open MPI's interface on MPICH: %s%s\n", what, why);
  std::abort();
}

void check_constants() {
  for (std::size_t i = 0; i < std::size(constants); ++i) {
    if (constants[i].kind == Kind::SAME && constants[i].value != cppc_mpich_values[i])
      die(constants[i].name, " has two values");
  }
}

/// Both have functions of the same names, and MPICH's call each other by these: it has to see its own first. Not before
/// the program has begun to call MPI: libcppc looks through the libraries that are there when the program starts.
void* library() {
  static void* const handle = [] {
    check_constants();
    void* const opened = dlopen("libmpich.so.12", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (opened == nullptr) die("", dlerror());
    return opened;
  }();
  return handle;
}

/// Handles that are no predefined objects: the number, moved to where no object of the program lies. Numbers begin at
/// 2^26, a program that is not position-independent lies below 2^30, all others and libraries above 2^36.
constexpr unsigned shift = 4;
constexpr std::uintptr_t first = std::uintptr_t{1} << 30, end = std::uintptr_t{1} << 36;

const std::unordered_map<int, void*>& predefined() {
  static const auto& objects = *[] {
    auto* const all = new std::unordered_map<int, void*>;  // used until the process ends
    for (const cppc_mpich_object& object : std::span(cppc_mpich_objects, cppc_mpich_object_count))
      all->emplace(*object.handle, object.object);
    return all;
  }();
  return objects;
}

/// MPICH's codes of what the program has added.
std::vector<int>& added() {
  static auto& codes = *new std::vector<int>;
  return codes;
}

/// No constant of any kind.
constexpr int no_constant = -123456789;

int assertions(int value, auto from, auto to) {
  int bits = 0;
  for (std::size_t i = 0; i < std::size(constants); ++i)
    if (constants[i].kind == Kind::ASSERTION && (value & from(i)) != 0) bits |= to(i);
  return bits;
}

int value_of(std::size_t constant) { return constants[constant].value; }
int mpich_value_of(std::size_t constant) { return cppc_mpich_values[constant]; }

int translate(Kind kind, int value, auto from, auto to, int otherwise) {
  for (std::size_t i = 0; i < std::size(constants); ++i)
    if (constants[i].kind == kind && from(i) == value) return to(i);
  return otherwise;
}

int error_to_ours(int code) {
  if (code == MPI_SUCCESS) return MPI_SUCCESS;
  static Function error_class("PMPI_Error_class");
  int classified = code;
  error_class.as<int (*)(int, int*)>()(code, &classified);
  for (const int one : {code, classified}) {
    const auto found = std::ranges::find(added(), one);
    if (found != added().end()) return MPI_ERR_LASTCODE + 1 + static_cast<int>(found - added().begin());
  }
  return translate(Kind::ERROR, classified, mpich_value_of, value_of, MPI_ERR_OTHER);
}

int error_to_mpich(int code) {
  const std::size_t index = static_cast<std::size_t>(code) - (MPI_ERR_LASTCODE + 1);
  if (code > MPI_ERR_LASTCODE && index < added().size()) return added()[index];
  return translate(Kind::ERROR, code, value_of, mpich_value_of, no_constant);
}

}  // namespace

void* Function::find(const char* name) {
  void* const found = dlsym(library(), name);
  if (found == nullptr) not_there(name + 1);
  return found;
}

void* variable(const char* name) {
  void* const found = dlsym(library(), name);
  if (found == nullptr) not_there(name);
  return found;
}

void not_there(const char* function) { die(function, " is not there"); }

int real_number(const void* handle) {
  const auto address = reinterpret_cast<std::uintptr_t>(handle);
  if (address >= first && address < end) return static_cast<int>(address >> shift);
  return address == 0 ? 0 : *static_cast<const int*>(handle);
}

void* known_handle(int real) {
  const auto found = predefined().find(real);
  if (found != predefined().end()) return found->second;
  return reinterpret_cast<void*>(std::uintptr_t{static_cast<unsigned>(real)} << shift);
}

void* real_file(MPI_File file) { return file == MPI_FILE_NULL ? nullptr : file; }
MPI_File known_file(void* real) { return real == nullptr ? MPI_FILE_NULL : static_cast<MPI_File>(real); }

int to_mpich(Kind kind, int value) {
  if (kind == Kind::RANK && value >= 0) return value;
  if (kind == Kind::ERROR) return error_to_mpich(value);
  if (kind == Kind::ASSERTION) return assertions(value, value_of, mpich_value_of);
  const bool others = kind == Kind::RANK || kind == Kind::KEYVAL || kind == Kind::DARG;
  return translate(kind, value, value_of, mpich_value_of, others ? value : no_constant);
}

int to_ours(Kind kind, int value) {
  if (kind == Kind::RANK && value >= 0) return value;
  if (kind == Kind::ERROR) return error_to_ours(value);
  return translate(kind, value, mpich_value_of, value_of, value);
}

int add_error(int code) {
  added().push_back(code);
  return last_error();
}

int last_error() { return MPI_ERR_LASTCODE + static_cast<int>(added().size()); }

}  // namespace cppc::mpich
