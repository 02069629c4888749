/// A directory under $TMPDIR that goes with its owner, with all that is in it.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace cppc {

class TemporaryDirectory {
 public:
  /// `name`: what the directory's name begins with. The error is for people.
  static tl::expected<TemporaryDirectory, std::string> make(const std::string& name) {
    const char* const setting = std::getenv("TMPDIR");
    const std::filesystem::path parent = setting != nullptr && *setting != '\0' ? setting : "/tmp";
    std::string path = parent / (name + "-XXXXXX");
    if (mkdtemp(path.data()) == nullptr)
      return tl::unexpected("cannot make a directory for temporary files in " + parent.string() + ": " +
                            std::strerror(errno) + "; TMPDIR names another place for them");
    return TemporaryDirectory(std::move(path));
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

}  // namespace cppc
