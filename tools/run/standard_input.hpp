/// The standard input of a job, which mpirun reads ahead of rank 0.
#pragma once

#include <sys/types.h>

namespace cppc::run {

class StandardInput {
 public:
  /// Notes where it stands. The descriptor stays the caller's, and open.
  explicit StandardInput(int descriptor);

  /// Whether a job can read anything there; nothing from /dev/null or a terminal.
  [[nodiscard]] bool any() const { return kind_ != Kind::none; }

  /// For a job that starts again from its beginning. False: what has been read, from a pipe, is gone.
  [[nodiscard]] bool begin_again() const;

 private:
  enum class Kind { none, file, stream };
  int descriptor_;
  Kind kind_ = Kind::none;
  off_t begin_ = 0;
};

}  // namespace cppc::run
