#include "standard_input.hpp"

#include <sys/stat.h>
#include <unistd.h>

namespace cppc::run {

StandardInput::StandardInput(int descriptor) : descriptor_(descriptor) {
  struct stat state {};
  if (fstat(descriptor, &state) != 0 || S_ISCHR(state.st_mode)) return;
  begin_ = lseek(descriptor, 0, SEEK_CUR);
  kind_ = begin_ < 0 ? Kind::stream : Kind::file;
}

bool StandardInput::begin_again() const {
  return kind_ == Kind::none || (kind_ == Kind::file && lseek(descriptor_, begin_, SEEK_SET) == begin_);
}

}  // namespace cppc::run
