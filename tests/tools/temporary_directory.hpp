/// An empty directory that goes with its owner. Its path is short enough for sockets in it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace cppc::test {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = "/tmp/cppc-test-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a directory in /tmp");
    path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }

  /// Writes a file into it; its path.
  std::string write(const std::string& name, const std::string& content) const {
    const std::string path = path_ + "/" + name;
    std::ofstream(path) << content;
    return path;
  }

  /// A shell script that can be run; its path.
  std::string script(const std::string& name, const std::string& commands) const {
    const std::string path = write(name, "#!/bin/sh\n" + commands + "\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }

 private:
  std::string path_;
};

}  // namespace cppc::test
