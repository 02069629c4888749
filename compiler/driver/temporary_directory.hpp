/// A directory under $TMPDIR that goes with its owner, with all that is in it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include "result.hpp"

namespace cppc::driver {

class TemporaryDirectory {
 public:
  static Result<TemporaryDirectory> make() {
    std::error_code failure;
    std::string name = std::filesystem::temp_directory_path(failure) / "cppc-cc-XXXXXX";
    if (failure || mkdtemp(name.data()) == nullptr)
      return error("cannot make a directory for temporary files: " + name);
    return TemporaryDirectory(std::move(name));
  }
  TemporaryDirectory(TemporaryDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;  // nobody is left to act on it
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::string& path() const { return path_; }
  /// The path of `name` in it.
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  explicit TemporaryDirectory(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace cppc::driver
