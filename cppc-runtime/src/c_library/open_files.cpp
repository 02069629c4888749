#include "c_library/open_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <filesystem>
#include <new>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "address/program_time.hpp"
#include "c_library/streams.hpp"
#include "log.hpp"
#include "never_destroyed.hpp"

namespace cppc::c_library {

namespace {

struct Descriptor {
  int number;
  dev_t device;
  ino_t inode;
};

std::vector<Descriptor>& of_process() {
  static NeverDestroyed<std::vector<Descriptor>> files;
  return *files;
}

/// Regular files: what else is open is MPI's, or cannot be told from that.
std::vector<Descriptor> open_files() {
  std::vector<Descriptor> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc/self/fd", error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename();
    int number = -1;
    std::from_chars(name.data(), name.data() + name.size(), number);
    struct stat state {};
    if (number > STDERR_FILENO && fstat(number, &state) == 0 && S_ISREG(state.st_mode))
      found.push_back({number, state.st_dev, state.st_ino});
  }
  return found;
}

std::string path_of(int number) {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = readlink(("/proc/self/fd/" + std::to_string(number)).c_str(), path.data(), path.size());
  return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : std::string();
}

/// Memory that processes share, and what MPI keeps beside a file of its own.
bool is_of_mpi(std::string_view path, std::span<const std::string> files) {
  constexpr std::array<std::string_view, 2> kShared = {"/dev/shm/", "/memfd:"};
  const auto begins = [path](std::string_view with) { return path.starts_with(with); };
  const auto beside = [path](const std::string& file) {
    const std::size_t name = file.rfind('/') + 1;
    return path.starts_with(file.substr(0, name)) && path.find(file.substr(name), name) != std::string_view::npos;
  };
  return std::ranges::any_of(kShared, begins) || path.find("/ompi.") != std::string_view::npos ||
         std::ranges::any_of(files, beside);
}

/// What the process was started with.
__attribute__((constructor)) void note_inherited_files() noexcept try {
  if (!address::kept_by_address()) note_open_files();
} catch (const std::bad_alloc&) {
  die(CPPC_ERR_MEMORY, "no memory to note which files are open");
}

}  // namespace

void note_open_files() { of_process() = open_files(); }

cppc_status refuse_open_files(std::span<const std::string> of_mpi) {
  for (const Descriptor& file : open_files()) {
    const auto same = [&file](const Descriptor& other) {
      return other.number == file.number && other.device == file.device && other.inode == file.inode;
    };
    const std::string path = path_of(file.number);
    if (is_stream(file.number) || std::ranges::any_of(of_process(), same) || is_of_mpi(path, of_mpi)) continue;
    log().error(
        "descriptor {} ({}) is open, which cannot be carried over: open the file by fopen(), close it before the safe "
        "point, or build the program without --portable",
        file.number, path);
    return CPPC_ERR_UNSUPPORTED;
  }
  return CPPC_OK;
}

}  // namespace cppc::c_library
