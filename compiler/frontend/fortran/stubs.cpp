#include "stubs.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "read_text.hpp"

namespace cppc::fortran {

namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) { return read_text(file).value_or(""); }

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

const std::vector<std::string> kTypes = {"Comm",    "Group",   "Op",  "Info", "Errhandler",
                                         "Request", "Message", "Win", "File", "Datatype"};

/// Which of the types a predefined handle has.
std::string type_of(const std::string& name) {
  static const std::set<std::string> operations = {
      "MPI_MAX",  "MPI_MIN",  "MPI_SUM",    "MPI_PROD",   "MPI_LAND",    "MPI_BAND",    "MPI_LOR",  "MPI_BOR",
      "MPI_LXOR", "MPI_BXOR", "MPI_MAXLOC", "MPI_MINLOC", "MPI_REPLACE", "MPI_OP_NULL", "MPI_NO_OP"};
  if (operations.contains(name)) return "Op";
  if (name.starts_with("MPI_ERR")) return "Errhandler";
  for (const std::string& type : kTypes)
    if (name.starts_with("MPI_" + upper(type) + "_")) return type;
  return "Datatype";
}

std::string operators() {
  std::ostringstream declared, defined;
  for (const auto& [sign, letters] : {std::pair{"==", "eq"}, std::pair{"/=", "ne"}}) {
    declared << "  interface operator(" << sign << ")\n";
    for (const std::string& type : kTypes) {
      const std::string name = std::string(letters).append("_").append(type);
      declared << "    module procedure " << name << "\n";
      defined << "  elemental logical function " << name << "(a, b)\n    type(MPI_" << type
              << "), intent(in) :: a, b\n    " << name << " = a%MPI_VAL " << sign << " b%MPI_VAL\n  end function\n";
    }
    declared << "  end interface\n";
  }
  return declared.str() + "contains\n" + defined.str();
}

/// A subroutine of the program's that MPI calls: `declared` are its arguments.
std::string callback(const std::string& name, const std::string& arguments, const std::string& declared) {
  return "    subroutine MPI_" + name + "_function(" + arguments + ")\n      import\n      " + declared +
         "\n    end subroutine\n";
}

std::string callbacks() {
  const std::string address = "integer(MPI_ADDRESS_KIND) :: ";
  std::string declared =
      callback("User", "invec, inoutvec, len, datatype",
               "type(c_ptr), value :: invec, inoutvec; integer :: len; type(MPI_Datatype) :: datatype");
  for (const std::string type : {"Comm", "Type", "Win"}) {
    const std::string object = "type(MPI_" + (type == "Type" ? "Datatype" : type) + ") :: object; ";
    declared +=
        callback(type + "_copy_attr", "object, keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror",
                 object + address + "extra_state, attribute_val_in, attribute_val_out; " +
                     "logical :: flag; integer :: keyval, ierror");
    declared += callback(type + "_delete_attr", "object, keyval, attribute_val, extra_state, ierror",
                         object + address + "attribute_val, extra_state; integer :: keyval, ierror");
  }
  for (const std::string type : {"Comm", "Win", "File"})
    declared +=
        callback(type + "_errhandler", "object, error_code", "type(MPI_" + type + ") :: object; integer :: error_code");
  declared += callback("Grequest_query", "extra_state, status, ierror",
                       address + "extra_state; type(MPI_Status) :: status; integer :: ierror");
  declared += callback("Grequest_free", "extra_state, ierror", address + "extra_state; integer :: ierror");
  declared += callback("Grequest_cancel", "extra_state, complete, ierror",
                       address + "extra_state; logical :: complete; integer :: ierror");
  return "  abstract interface\n" + declared + "  end interface\n";
}

/// MPI's procedures, as the table of their models names them, but for those of which mpif.h says more.
std::string procedures(const fs::path& models) {
  static const std::set<std::string> typed = {"MPI_Wtime", "MPI_Wtick", "MPI_Aint_add", "MPI_Aint_diff"};
  static const std::regex named("^(MPI_\\w+) *=");
  std::string declared;
  std::istringstream lines(text_of(models));
  std::smatch match;
  for (std::string line; std::getline(lines, line);)
    if (std::regex_search(line, match, named) && !typed.contains(match[1].str()))
      declared += "  external :: " + match[1].str() + ", P" + match[1].str() + "\n";
  return declared;
}

std::string module_f08(const fs::path& headers, const std::string& procedures) {
  std::ostringstream out;
  out << "module mpi_f08\n  use, intrinsic :: iso_c_binding, only: c_ptr, c_funptr\n  implicit none\n";
  for (const std::string& type : kTypes)
    out << "  type, bind(C) :: MPI_" << type << "\n    integer :: MPI_VAL\n  end type\n";
  out << "  type, bind(C) :: MPI_Status\n    integer :: MPI_SOURCE, MPI_TAG, MPI_ERROR\n"
         "    integer, private :: cancelled\n    integer(8), private :: count\n  end type\n";
  static const std::regex special("mpi_status_ignore|mpi_statuses_ignore|mpi_bottom", std::regex::icase);
  for (const char* name : {"mpif-config.h", "mpif-constants.h", "mpif-io-constants.h"}) {
    std::istringstream lines(text_of(headers / name));
    for (std::string line; std::getline(lines, line);)
      if (!line.empty() && std::string_view("!cC*").find(line.front()) == std::string_view::npos &&
          !std::regex_search(line, special))
        out << line << "\n";
  }
  const std::string handles = text_of(headers / "mpif-handles.h") + text_of(headers / "mpif-io-handles.h");
  static const std::regex parameter(R"(parameter\s*\(\s*(MPI_\w+)\s*=\s*(\d+)\s*\))", std::regex::icase);
  for (std::sregex_iterator match(handles.begin(), handles.end(), parameter), end; match != end; ++match) {
    const std::string name = upper((*match)[1].str()), type = "MPI_" + type_of(name);
    out << "  type(" << type << "), parameter :: " << name << " = " << type << "(" << (*match)[2].str() << ")\n";
  }
  out << "  integer :: MPI_BOTTOM, MPI_IN_PLACE\n  type(MPI_Status) :: MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE(1)\n"
         "  double precision, external :: MPI_Wtime, MPI_Wtick\n"
         "  integer(MPI_ADDRESS_KIND), external :: MPI_Aint_add, MPI_Aint_diff\n"
      << callbacks() << procedures << operators() << "end module mpi_f08\n";
  return out.str();
}

bool write(const fs::path& file, const std::string& text) {
  return static_cast<bool>((std::ofstream(file) << text).flush());
}

}  // namespace

bool write_stubs(const std::vector<std::string>& headers, const fs::path& models, const fs::path& directory) {
  const auto has_it = [](const std::string& one) { return fs::exists(fs::path(one) / "mpif-handles.h"); };
  const auto found = std::ranges::find_if(headers, has_it);
  if (found == headers.end()) return false;
  static const std::regex sizeof_line("[^\n]*mpif-sizeof[^\n]*\n");
  const std::string external = procedures(models);
  return write(directory / "mpif.h", std::regex_replace(text_of(fs::path(*found) / "mpif.h"), sizeof_line, "")) &&
         write(directory / "mpi.f90", "module mpi\ninclude 'mpif.h'\n" + external + "end module\n") &&
         write(directory / "mpi_f08.f90", module_f08(*found, external)) &&
         write(directory / "mpi_f08_types.f90", "module mpi_f08_types\nuse mpi_f08\nend module\n");
}

}  // namespace cppc::fortran
