#include "address/process/descriptors.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "address/process/deleted_file.hpp"
#include "address/process/descriptor_collection.hpp"
#include "address/process/descriptor_table.hpp"
#include "address/process/file_locks.hpp"
#include "address/process/named_file.hpp"
#include "address/process/standard_input.hpp"
#include "grown_file.hpp"
#include "log.hpp"
#include "never_destroyed.hpp"

namespace cppc::address::descriptors {

namespace {

/// For a lock that the process which is left still has.
constexpr auto kTimeout = std::chrono::seconds(10);

/// Of the descriptions that are carried, by a number of each.
std::vector<HeldLock>& held_locks() {
  static NeverDestroyed<std::vector<HeldLock>> locks;
  return *locks;
}

void note_locks(const std::vector<Opened>& all) {
  held_locks().clear();
  for (const Opened& opened : all)
    for (const FileLock& lock : opened.locks) held_locks().push_back({opened.number, lock, opened.file.path});
}

/// Any number that still leads to what the process was started with as standard input.
int standard_input_number() {
  for (int number = 0; number < kNumbers; ++number) {
    if (description_of(number) == standard(0) && fcntl(number, F_GETFD) >= 0) return number;
  }
  return -1;
}

/// Opens again what has been collected.
class Opening {
 public:
  void read(ByteReader& in) {
    opened_.resize(in.count(53));
    for (Opened& opened : opened_) {
      opened.kind = static_cast<Kind>(in.u8());
      opened.number = in.i32();
      opened.file.path = in.text();
      opened.file.inode = in.u64();
      opened.file.bytes = in.u64();
      opened.flags = in.i32();
      opened.offset = in.i64();
      opened.locks = read_locks(in);
      opened.written_size = in.i64();
      const bool is_standard = opened.kind == Kind::standard && opened.number >= 0 && opened.number < kStandard;
      if (!is_standard && opened.kind != Kind::file && opened.kind != Kind::deleted) in.fail();
      if (opened.kind != Kind::deleted) continue;
      opened.deleted.directory = in.text();
      opened.deleted.mode = in.u32();
      const auto contents = in.block();
      opened.deleted.contents.assign(contents.begin(), contents.end());
    }
    numbers_.resize(in.count(9));
    for (Number& number : numbers_) {
      number.number = in.i32();
      number.closes_on_exec = in.u8() != 0;
      number.opened = in.u32();
      if (number.number < 0 || number.number >= kNumbers) in.fail();
      if (number.opened >= opened_.size() && number.opened != Collection::none()) in.fail();
      highest_ = std::max(highest_, number.number);
    }
  }

  cppc_status check_numbers() const {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur <= static_cast<rlim_t>(highest_) + opened_.size() + 1) {
      log().error("the program uses descriptor {}, and this process may have {}: raise its limit of open files",
                  highest_, limit.rlim_cur);
      return CPPC_ERR_SYSTEM;
    }
    for (const Number& number : numbers_) {
      if (number.number < kStandard || is_reserved(number.number) || fcntl(number.number, F_GETFD) < 0) continue;
      log().error("{}, which is the program's, is used by MPI in the new process",
                  label(number.number, name_of(number.number)));
      return CPPC_ERR_STATE;
    }
    return CPPC_OK;
  }

  cppc_status open_all() {
    for (const Opened& opened : opened_) {
      auto file = open_one(opened);
      if (!file) return file.error();
      // Out of the way of all numbers that are to come.
      files_.emplace_back(fcntl(file->get(), F_DUPFD_CLOEXEC, highest_ + 1));
      if (files_.back()) continue;
      log().error("no descriptor for {}: {}", opened.file.path, std::strerror(errno));
      return CPPC_ERR_SYSTEM;
    }
    return CPPC_OK;
  }

  cppc_status put_all() const {
    std::vector<Description> descriptions;
    for (const Opened& opened : opened_) {
      if (opened.kind == Kind::standard)
        descriptions.push_back(standard(opened.number));
      else
        descriptions.push_back(new_description() | (opened.kind == Kind::deleted ? kCreated : 0));
    }
    for (const Number& number : numbers_) {
      if (number.opened == Collection::none()) {
        close(number.number);
        set(number.number, kClosed);
        continue;
      }
      if (dup3(files_[number.opened].get(), number.number, number.closes_on_exec ? O_CLOEXEC : 0) < 0) {
        log().error("descriptor {} cannot be made: {}", number.number, std::strerror(errno));
        return CPPC_ERR_SYSTEM;
      }
      set(number.number, descriptions[number.opened]);
      take_reserved(number.number);
    }
    return CPPC_OK;
  }

  [[nodiscard]] const std::vector<Opened>& opened() const { return opened_; }

 private:
  /// A directory of ext4 that is read for the first time at its end stays there after rewinddir(). Nothing is lost when
  /// this fails: it is set to its place next.
  static void start_reading(int directory) {
    std::array<std::byte, 1024> entries{};
    syscall(SYS_getdents64, directory, entries.data(), entries.size());
  }

  static tl::expected<UniqueFd, cppc_status> open_one(const Opened& opened) {
    if (opened.kind == Kind::standard) {
      UniqueFd own(fcntl(opened.number, F_DUPFD_CLOEXEC, kStandard));
      if (own) return own;
      log().error("the new process has no descriptor {}, which the program uses", opened.number);
      return tl::unexpected(CPPC_ERR_MISMATCH);
    }
    const std::string object = "descriptor " + std::to_string(opened.number);
    auto file = opened.kind == Kind::deleted
                    ? make_deleted(opened.deleted, opened.flags)
                    : open_named(opened.file, opened.flags & ~(O_CREAT | O_EXCL | O_TRUNC), object);
    if (file && opened.written_size >= 0)
      if (const cppc_status status = cut_to_image(file->get(), opened.written_size, opened.file.path);
          status != CPPC_OK)
        return tl::unexpected(status);
    if (file && (opened.flags & (O_DIRECTORY | O_PATH)) == O_DIRECTORY) start_reading(file->get());
    const bool moves = (opened.flags & O_PATH) == 0 && (opened.offset > 0 || (opened.flags & O_DIRECTORY) != 0);
    if (file && moves && lseek(file->get(), opened.offset, SEEK_SET) < 0) {
      log().error("{} cannot be set to byte {}: {}", opened.file.path, opened.offset, std::strerror(errno));
      return tl::unexpected(CPPC_ERR_SYSTEM);
    }
    return file;
  }

  std::vector<Opened> opened_;
  std::vector<Number> numbers_;
  std::vector<UniqueFd> files_;
  int highest_ = kStandard - 1;
};

/// In no order.
tl::expected<std::vector<int>, cppc_status> open_numbers() {
  std::vector<int> numbers;
  std::error_code failure;
  for (std::filesystem::directory_iterator all("/proc/self/fd", failure); !failure && all != end(all);
       all.increment(failure)) {
    const std::string name = all->path().filename();
    int number = -1;
    std::from_chars(name.data(), name.data() + name.size(), number);
    numbers.push_back(number);
  }
  if (!failure) return numbers;
  log().error("the system does not tell which descriptors this process has: {}", failure.message());
  return tl::unexpected(CPPC_ERR_SYSTEM);
}

/// By a system call that is not the C library's, or by one of its functions that libcppc does not stand in front of. A
/// socket may be the C library's own, as that of syslog() is, which opens another one.
cppc_status check_unseen() {
  const auto numbers = open_numbers();
  if (!numbers) return numbers.error();
  for (const int number : *numbers) {
    if (number < kStandard || description_of(number) != 0 || is_of_process(number) || is_reserved(number)) continue;
    const std::string name = name_of(number);
    if (name.empty() || name.starts_with("socket:")) continue;
    log().error(
        "{} has been opened in a way that libcppc does not see, and cannot be carried to another process; close it "
        "before the rank is moved, or open it by open(), fopen() or opendir() in place of functions that do it "
        "themselves, such as setmntent() or fts_open()",
        label(number, name));
    return CPPC_ERR_UNSUPPORTED;
  }
  return CPPC_OK;
}

}  // namespace

cppc_status write(ByteWriter& out) {
  if (const cppc_status status = check_unseen(); status != CPPC_OK) return status;
  if (any_beyond()) {
    log().error("the program has used descriptors beyond {}, which are not kept account of", kNumbers);
    return CPPC_ERR_UNSUPPORTED;
  }
  Collection collection;
  for (int number = 0; number < kNumbers; ++number) {
    const Description description = description_of(number);
    if (description == 0 || (number < kStandard && description == standard(number))) continue;
    if (const cppc_status status = collection.add(number); status != CPPC_OK) return status;
  }
  note_locks(collection.opened());
  if (const cppc_status status = standard_input::write(out, standard_input_number()); status != CPPC_OK) return status;
  collection.write(out);
  return CPPC_OK;
}

cppc_status open_again(ByteReader& in) {
  if (const cppc_status status = standard_input::open_again(in); status != CPPC_OK) return status;
  Opening opening;
  opening.read(in);
  if (!in.ok()) {
    log().error("the image's descriptors are damaged");
    return CPPC_ERR_IMAGE;
  }
  if (const cppc_status status = opening.check_numbers(); status != CPPC_OK) return status;
  if (const cppc_status status = opening.open_all(); status != CPPC_OK) return status;
  note_locks(opening.opened());
  return opening.put_all();
}

void note_numbers_of_process() {
  const auto numbers = open_numbers();
  for (const int number : numbers.value_or(std::vector<int>{}))  // unknown ones are refused when a rank is to move
    if (description_of(number) == 0) set_of_process(number, true);
}

void release_locks() {
  for (const HeldLock& lock : held_locks()) release(lock);
}

cppc_status lock_again() {
  const auto end = std::chrono::steady_clock::now() + kTimeout;
  for (const HeldLock& lock : held_locks()) {
    int locked = take(lock);
    while (locked != 0 && errno == EWOULDBLOCK && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      locked = take(lock);
    }
    if (locked == 0) continue;
    log().error("{} cannot be locked as the program had it: {}", label(lock.number, lock.path), std::strerror(errno));
    return CPPC_ERR_REFUSED;
  }
  return CPPC_OK;
}

}  // namespace cppc::address::descriptors
