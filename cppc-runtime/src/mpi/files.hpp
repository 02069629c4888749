/// Files that the program has opened with MPI. A file is bound to a communicator and to descriptors of its processes,
/// so under an extension the program holds small numbers in place of their handles. When a rank that shares a file
/// moves, all who share it close it and open it again where they were; other files stay open.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bytes.hpp"
#include "cppc/status.h"
#include "mpi/file_recipe.hpp"
#include "mpi/node_file.hpp"
#include "mpi/virtual_table.hpp"

namespace cppc::mpi {

struct File {
  FileRecipe recipe;
  NodeFile opened;
  std::uint64_t order = 0;        ///< in which files were opened: the same in all processes that share two of them
  MPI_Comm comm = MPI_COMM_NULL;  ///< its own: the program may free the one it was opened with
  MPI_File real = MPI_FILE_NULL;  ///< none while the rank moves
  std::vector<int> members;       ///< while there is none: the ranks in the world, in the order of `comm`
  bool in_two_calls = false;      ///< a split collective operation has begun
};

/// A file in an image.
struct StoredFile {
  std::size_t index;  ///< in the table
  FileRecipe recipe;
  std::vector<int> members;
  std::int64_t size;
};

/// All of them, in the order in which they were opened.
struct StoredFiles {
  /// Of files that the program will open.
  ErrorSetting error_handler{HandlerKind::file, ErrorHandler::predefined(MPI_ERRORS_RETURN)};
  std::vector<StoredFile> files;
};

class Files {
 public:
  using Table = VirtualTable<MPI_File, File>;

  /// What the program knows `real` as; itself when that is no other.
  [[nodiscard]] MPI_File handle_for(MPI_File real) const { return table_.handle_for(real); }

  /// The file that MPI knows. A closed handle gives nullptr, an invalid file to MPI.
  [[nodiscard]] MPI_File real(MPI_File file) {
    if (!Table::is_virtual(file)) return file;
    const File* const found = table_.find(file);
    return found != nullptr ? found->real : nullptr;
  }

  /// In the table; of a file that is none of its, a number that is none's.
  static std::size_t index_of(MPI_File file) { return Table::is_virtual(file) ? Table::index_of(file) : SIZE_MAX; }

  /// For the functions of MPI of these names.
  int open(MPI_Comm comm, const char* name, int mode, MPI_Info info, MPI_File* out);
  int close(MPI_File* file);
  int get_mode(MPI_File file, int* mode);
  int set_view(MPI_File file, const FileView& view, MPI_Info info);

  /// Whether an operation in two calls has begun.
  [[nodiscard]] bool busy();

  /// The call that returned `status` began, or ended, an operation in two calls.
  int began(int status, MPI_File file);
  int ended(int status, MPI_File file);

  /// Of all of them, absolute.
  [[nodiscard]] std::vector<std::string> paths();

  /// Also writes to storage what this node has written to the files. CPPC_ERR_UNSUPPORTED, logged by name, when one
  /// could not be opened by another process.
  cppc_status write(ByteWriter& writer);

  /// Of `rank` in a world of `size`; fails the reader when they are none.
  static StoredFiles read(ByteReader& reader, int rank, int size);

  /// In a replacement, once the program's datatypes and error handlers have been made again: takes over files, until
  /// reopen() closed. CPPC_ERR_UNSUPPORTED, CPPC_ERR_IMAGE, logged, when one cannot be opened here; what ErrorSetting
  /// says.
  cppc_status adopt(StoredFiles stored);

  /// Closes the files that are shared with a rank which is another process in the world to come. Collective over those
  /// who share a file; ends the job when what was written is lost.
  void close_moved(MPI_Comm world_to_come);

  /// Likewise all of them, for good: this rank is another process.
  void abandon();

  /// Opens the files that are closed, in the present world. CPPC_ERR_MPI, logged.
  cppc_status reopen();

 private:
  /// In the order in which they were opened.
  std::vector<std::pair<std::size_t, File*>> all();
  File* find(MPI_File file) { return Table::is_virtual(file) ? table_.find(file) : nullptr; }

  Table table_;
  std::uint64_t opened_ = 0;
};

Files& files();

}  // namespace cppc::mpi
