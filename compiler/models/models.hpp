/// What functions outside the program do, as far as the analyses care: tables in data files (models/*.toml, which
/// describe the format), which users can extend.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace cppc::models {

enum class Heap { none, allocates, reallocates, frees };

/// What a member function does to a container that is a pointer to a block of its own (the argument 0).
enum class Container {
  none,
  tells,     ///< reads the container, not its elements
  locates,   ///< returns where elements are
  makes,     ///< a new block, of the other arguments; the old one is left
  grows,     ///< perhaps a new block that the elements go to, and the other arguments
  copies,    ///< as `makes`, of elements of the argument 1, which is such a container, too
  swaps,     ///< blocks with the argument 1
  takes,     ///< the pointer that is the argument 1, or none
  releases,  ///< returns the block, and has it no longer
};

enum class Traffic {
  none,
  send,  ///< returns when the buffer may be used again
  receive,
  exchange,  ///< sends and receives in one
  collective,
  start_send,  ///< a request is active afterwards
  start_receive,
  start,     ///< of persistent requests
  complete,  ///< of requests; afterwards none of them is active
  test,      ///< of requests; afterwards they may still be active
  probe,
};

struct Communication {
  Traffic traffic = Traffic::none;
  int peer = -1, tag = -1, communicator = -1, request = -1;  ///< which arguments
};

/// Argument numbers count from 0.
struct Model {
  std::vector<int> reads, writes;  ///< arguments whose target is read, may be written
  std::vector<int> sets;           ///< whose target, a scalar, is written in any case
  std::vector<int> fills;          ///< pointer, count, perhaps MPI datatype: so much is written in any case
  int reads_from = -1;             ///< all arguments from this one are read
  int writes_from = -1;
  std::vector<std::pair<int, int>> copies;  ///< what is in the second's target gets into the first's
  std::vector<std::pair<int, int>> keeps;   ///< the second argument itself is stored in the first's target
  std::vector<int> exports, imports;  ///< addresses in their targets may go out of the program's sight, and come back
  bool messages = false;              ///< addresses in what it reads may be in what such a function writes
  int returns = -1;                   ///< the argument that is returned
  bool returns_outside = false;       ///< returns a pointer to memory of the library
  Heap heap = Heap::none;
  int heap_argument = 0;  ///< of frees and reallocates; of allocates the argument to which the block is written, or -1
  int callback = -1;      ///< argument that is called
  int callback_in = -1;   ///< argument in whose target is what is called
  std::vector<int> callback_arguments;
  bool keeps_callback = false;  ///< and called later, by whatever other function
  std::vector<int> held;        ///< arguments whose target the library uses at any time from then on
  bool returns_never = false;
  bool required = false;         ///< to be run again in a new process
  bool refused_on_path = false;  ///< only in a function that leads to a safe point
  std::string refused;           ///< why a program that calls it cannot be moved
  std::string lost;              ///< what it does that a new process does not know
  bool stream = false;           ///< returns a FILE* that cannot be carried over
  std::string replaced;          ///< by this function of the runtime
  Communication communication;
  Container container = Container::none;
  int shows = -1;  ///< the argument whose target other processes may read and write from then on
};

class Models {
 public:
  /// Adds a file's functions, which replace earlier ones of the same name. The error names file and line.
  tl::expected<void, std::string> read(const std::filesystem::path& file);
  /// Of __builtin_f() what is known of f(), unless it is about memory that is allocated; of a member function in C++
  /// "a::b::f" what is known of all that the class has, "a::b::*", when nothing else is.
  [[nodiscard]] const Model* find(const std::string& function) const;

 private:
  std::map<std::string, Model> functions_;
  std::map<std::string, Model> fortran_;  ///< MPI's functions for Fortran, by their names in small letters
};

/// Whether a function of this name is MPI's, for C or in one of the spellings for Fortran.
bool is_of_mpi(std::string_view function);

}  // namespace cppc::models
