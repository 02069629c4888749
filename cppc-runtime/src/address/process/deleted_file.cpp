#include "address/process/deleted_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "log.hpp"

namespace cppc::address {

namespace {

bool write_all(int number, const std::vector<std::byte>& contents) {
  for (std::size_t done = 0; done < contents.size();) {
    const ssize_t more = pwrite(number, contents.data() + done, contents.size() - done, static_cast<off_t>(done));
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) return false;
    done += static_cast<std::size_t>(more);
  }
  return true;
}

/// Whether nothing else has the file open. The system gives a lease for writing only then; some file systems have none.
std::optional<bool> is_the_only_one(int number) {
  if (fcntl(number, F_SETLEASE, F_WRLCK) != 0) return errno == EAGAIN ? std::optional(false) : std::nullopt;
  fcntl(number, F_SETLEASE, F_UNLCK);
  return true;
}

UniqueFd make_nameless(const std::string& directory) {
  UniqueFd made(open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (made) return made;
  std::string path = directory + "/cppc-XXXXXX";  // a file system that cannot make a file without a name
  made = UniqueFd(mkostemp(path.data(), O_CLOEXEC));
  if (made) unlink(path.c_str());
  return made;
}

}  // namespace

tl::expected<DeletedFile, std::string> read_deleted(int number, const std::string& name, const struct stat& state,
                                                    bool created) {
  const auto bytes = static_cast<std::uint64_t>(state.st_size);
  if (bytes > kMostOfDeletedFile)
    return tl::unexpected(fmt::format("a deleted file of {} bytes, more than {}", bytes, kMostOfDeletedFile));
  const auto only_one = is_the_only_one(number);
  if (!only_one.value_or(created))
    return tl::unexpected<std::string>(only_one ? "a deleted file that is open elsewhere, too"
                                                : "a deleted file, which others may have open");
  DeletedFile file{.directory = std::filesystem::path(name).parent_path(),
                   .mode = state.st_mode & ALLPERMS,
                   .contents = std::vector<std::byte>(bytes)};
  // The program may have opened it for writing only.
  const UniqueFd own(open(fmt::format("/proc/self/fd/{}", number).c_str(), O_RDONLY | O_CLOEXEC));
  for (std::size_t done = 0; done < file.contents.size();) {
    const ssize_t more = pread(own.get(), file.contents.data() + done, bytes - done, static_cast<off_t>(done));
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) return tl::unexpected<std::string>("a deleted file that cannot be read");
    done += static_cast<std::size_t>(more);
  }
  return file;
}

tl::expected<UniqueFd, cppc_status> make_deleted(const DeletedFile& file, int flags) {
  UniqueFd made = make_nameless(file.directory);
  if (!made) made = make_nameless(std::filesystem::temp_directory_path());
  if (made && write_all(made.get(), file.contents) && fchmod(made.get(), file.mode) == 0) {
    // O_TMPFILE, as the system calls the file still, would make another one, and what is opened here is a link.
    const int again = (flags & ~(O_TMPFILE | O_NOFOLLOW)) | O_CLOEXEC;
    UniqueFd opened(open(fmt::format("/proc/self/fd/{}", made.get()).c_str(), again));
    if (opened) return opened;
  }
  log().error("the program's deleted file of {} bytes cannot be made again in {}: {}", file.contents.size(),
              file.directory, std::strerror(errno));
  return tl::unexpected(CPPC_ERR_SYSTEM);
}

}  // namespace cppc::address
