/// Owners of MPI's objects, for questions about communicators that cannot fail while MPI is sound.
#pragma once

#include <mpi.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace cppc::mpi {

/// Ends the job when `call`, a local one on a valid object, returned an error all the same.
void must(int status, const char* call);

/// What MPI says about an error.
std::string error_text(int status);

/// Whether `type` was made from others, and so can be freed.
bool is_derived(MPI_Datatype type);

class Group {
 public:
  static Group of(MPI_Comm comm);
  static Group of(MPI_Win win);

  /// The remote group of an intercommunicator.
  static Group remote(MPI_Comm comm);

  /// The processes with these ranks in `group`.
  static Group of(const Group& group, std::span<const int> ranks);

  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group() {
    if (group_ != MPI_GROUP_NULL) PMPI_Group_free(&group_);
  }

  [[nodiscard]] MPI_Group get() const { return group_; }

  /// The caller is to free it.
  [[nodiscard]] MPI_Group release() && { return std::exchange(group_, MPI_GROUP_NULL); }

 private:
  explicit Group(MPI_Group group) : group_(group) {}
  MPI_Group group_;
};

/// The ranks in `to` of all processes of `from`, MPI_UNDEFINED for those that it does not have.
std::vector<int> ranks_in(MPI_Group to, MPI_Group from);

/// Makes a communicator of the processes with these ranks in `world`, in this order. Collective over them alone; what
/// MPI returned.
int make_comm(MPI_Comm world, std::span<const int> members, MPI_Comm* made);

/// An error handler, kept alive.
class ErrorHandler {
 public:
  static ErrorHandler of(MPI_Comm comm);
  static ErrorHandler of(MPI_Win win);

  /// MPI_FILE_NULL has the one of files to come.
  static ErrorHandler of(MPI_File file);

  /// `handler` is one of MPI's own, or stays otherwise.
  static ErrorHandler predefined(MPI_Errhandler handler) { return {handler, false}; }

  /// It is freed with its owner.
  static ErrorHandler owned(MPI_Errhandler handler) { return {handler, true}; }

  ErrorHandler(ErrorHandler&& other) noexcept : handler_(other.handler_), owned_(std::exchange(other.owned_, false)) {}
  ErrorHandler& operator=(ErrorHandler&& other) noexcept {
    std::swap(handler_, other.handler_);
    std::swap(owned_, other.owned_);
    return *this;
  }
  ~ErrorHandler() {
    if (owned_) PMPI_Errhandler_free(&handler_);
  }

  [[nodiscard]] MPI_Errhandler get() const { return handler_; }

 private:
  ErrorHandler(MPI_Errhandler handler, bool owned) : handler_(handler), owned_(owned) {}
  MPI_Errhandler handler_;
  bool owned_;
};

/// As long as it lives, errors of `comm` are returned, and so are those of calls that have no communicator if it is
/// MPI_COMM_WORLD.
class ErrorsReturned {
 public:
  explicit ErrorsReturned(MPI_Comm comm = MPI_COMM_WORLD) : comm_(comm), before_(ErrorHandler::of(comm)) {
    must(PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  }
  ErrorsReturned(const ErrorsReturned&) = delete;
  ErrorsReturned& operator=(const ErrorsReturned&) = delete;
  ~ErrorsReturned() { PMPI_Comm_set_errhandler(comm_, before_.get()); }

 private:
  MPI_Comm comm_;
  ErrorHandler before_;
};

}  // namespace cppc::mpi
