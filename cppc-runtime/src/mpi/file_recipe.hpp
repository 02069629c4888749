/// What an open file of MPI is, apart from the processes that share it: enough to open it again.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <tl/expected.hpp>

#include "bytes.hpp"
#include "cppc/status.h"
#include "mpi/error_handlers.hpp"
#include "mpi/infos.hpp"
#include "mpi/mpi_objects.hpp"

namespace cppc::mpi {

/// As given to MPI_File_set_view.
struct FileView {
  MPI_Offset displacement = 0;
  MPI_Datatype etype = MPI_BYTE;
  MPI_Datatype filetype = MPI_BYTE;
  std::string representation = "native";
  Hints hints;
};

/// As long as it lives, errors of `file` are returned.
class FileErrorsReturned {
 public:
  explicit FileErrorsReturned(MPI_File file) : file_(file), before_(ErrorHandler::of(file)) {
    must(PMPI_File_set_errhandler(file_, MPI_ERRORS_RETURN), "MPI_File_set_errhandler");
  }
  FileErrorsReturned(const FileErrorsReturned&) = delete;
  FileErrorsReturned& operator=(const FileErrorsReturned&) = delete;
  ~FileErrorsReturned() { PMPI_File_set_errhandler(file_, before_.get()); }

 private:
  MPI_File file_;
  ErrorHandler before_;
};

struct FileRecipe {
  std::string path;  ///< absolute
  int mode = 0;      ///< as the program gave it
  FileView view;

  // What MPI says, as of note().
  Hints hints;
  bool atomic = false;
  ErrorSetting error_handler{HandlerKind::file, ErrorHandler::predefined(MPI_ERRORS_RETURN)};
  MPI_Offset position = 0;
  MPI_Offset shared_position = 0;

  /// Asks MPI about `file`, which is open: local.
  void note(MPI_File file);

  /// Opens it in the state of note(). Collective over `comm`. CPPC_ERR_MPI, logged.
  [[nodiscard]] tl::expected<MPI_File, cppc_status> open(MPI_Comm comm) const;

  /// CPPC_ERR_UNSUPPORTED, logged, when another process cannot have the datatypes of its view or its error handler.
  cppc_status write(ByteWriter& writer) const;

  /// Fails the reader when it is none. Its datatypes are numbers until find_types(), its error handler is to be found.
  static FileRecipe read(ByteReader& reader);

  /// In a replacement, once the program's datatypes have been made again, after read(). CPPC_ERR_IMAGE, logged.
  cppc_status find_types();

  std::uint64_t stored_etype = 0, stored_filetype = 0;  ///< between the two
};

}  // namespace cppc::mpi
