#include "address/process/descriptor_table.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>

#include "address/process/closed_files.hpp"
#include "address/process/descriptors.hpp"
#include "address/program_time.hpp"

namespace cppc::address::descriptors {

namespace {

/// By number; 0: not the program's, or one of the first three as the process was started. Of this process and not in
/// the program's memory: open() and close() are called by signal handlers, and would have to ask for that memory.
constinit std::array<std::atomic<Description>, kNumbers> table{};
constinit std::array<std::atomic<bool>, kNumbers> of_process{};  ///< MPI's, or there when it had started
constinit std::atomic<Description> last_description{kStandard};
constinit std::atomic<bool> number_beyond{false};

constexpr std::size_t kReservable = 256;
constinit std::array<bool, kReservable> reserved{};

/// Neither of MPI, nor what the process was started with.
bool is_of_program(int number) {
  const Description description = description_of(number);
  return description > static_cast<Description>(kStandard) && description != kClosed;
}

void given(int number, Description description) {
  if (number < 0) return;
  set_of_process(number, !program_time);
  // A number that the program has closed may be MPI's for a time, and yet is to be closed in another process.
  if (number < kStandard && !program_time) return;
  if (number < kNumbers) return set(number, program_time ? description : 0);
  if (program_time) number_beyond.store(true, std::memory_order_relaxed);
}

}  // namespace

Description description_of(int number) {
  if (number < 0 || number >= kNumbers) return 0;
  const Description description = table[static_cast<std::size_t>(number)].load(std::memory_order_relaxed);
  return description == 0 && number < kStandard ? standard(number) : description;
}

void set(int number, Description description) {
  auto& entry = table[static_cast<std::size_t>(number)];
  if (entry.load(std::memory_order_relaxed) != description) entry.store(description, std::memory_order_relaxed);
}

Description new_description() { return ++last_description; }

void set_of_process(int number, bool is) {
  if (number < 0 || number >= kNumbers) return;
  auto& entry = of_process[static_cast<std::size_t>(number)];
  if (entry.load(std::memory_order_relaxed) != is) entry.store(is, std::memory_order_relaxed);
}

bool is_of_process(int number) {
  return number >= 0 && number < kNumbers &&
         of_process[static_cast<std::size_t>(number)].load(std::memory_order_relaxed);
}

bool any_beyond() { return number_beyond.load(std::memory_order_relaxed); }

bool is_reserved(int number) {
  return number >= 0 && static_cast<std::size_t>(number) < kReservable && reserved[static_cast<std::size_t>(number)];
}

void take_reserved(int number) {
  if (is_reserved(number)) reserved[static_cast<std::size_t>(number)] = false;
}

void opened(int number) { given(number, program_time ? new_description() : 0); }

void created(int number) { given(number, program_time ? new_description() | kCreated : 0); }

void duplicated(int from, int to) {
  if (from == to) return;
  const Description shared = description_of(from);
  if (shared == 0 || shared == kClosed) return opened(to);
  given(to, shared);
}

void closed(int number) {
  if (number < 0 || number >= kNumbers || (number < kStandard && !program_time)) return;
  if (program_time && is_of_program(number)) closed_files::note(number);
  set(number, number < kStandard ? kClosed : 0);
  set_of_process(number, false);
}

void replaced(int from, int to) {
  if (from != to && program_time && is_of_program(to)) closed_files::note(to);
}

void reserve_numbers() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const auto end = static_cast<int>(std::min<rlim_t>(kReservable, limit.rlim_cur / 4));
  while (true) {
    const int number = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    if (number < 0) return;
    if (number >= end) {
      close(number);
      return;
    }
    reserved[static_cast<std::size_t>(number)] = true;
  }
}

void release_numbers() {
  for (std::size_t number = 0; number < kReservable; ++number) {
    if (reserved[number]) close(static_cast<int>(number));
    reserved[number] = false;
  }
}

}  // namespace cppc::address::descriptors
