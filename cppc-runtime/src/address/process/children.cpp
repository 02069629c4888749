#include "address/process/children.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "address/process/program_memory.hpp"
#include "log.hpp"
#include "never_destroyed.hpp"

namespace cppc::address::children {

namespace {

using Numbers = std::vector<int>;

/// Of the program when MPI starts, then of MPI.
Numbers& known() {
  static NeverDestroyed<Numbers> numbers;
  return *numbers;
}

bool any() {
  siginfo_t info{};
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0;
}

/// Each thread has its own.
Numbers present() {
  Numbers numbers;
  if (!any()) return numbers;
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", error)) {
    std::ifstream children(task.path() / "children");
    for (int number = 0; children >> number;) numbers.push_back(number);
  }
  return numbers;
}

Numbers present_but(const Numbers& others) {
  Numbers numbers = present();
  std::erase_if(numbers, [&](int number) { return std::ranges::find(others, number) != others.end(); });
  return numbers;
}

std::string name_of(int number) {
  std::ifstream file("/proc/" + std::to_string(number) + "/comm");
  std::string name;
  std::getline(file, name);
  return name;
}

}  // namespace

void mpi_starts() {
  // In a process that takes over, the program has none yet.
  if (program_memory_there) known() = present();
}

void mpi_started() { known() = present_but(known()); }

cppc_status check() {
  const Numbers numbers = present_but(known());
  for (const int number : numbers)
    log().error(
        "the program has a child process, {} ({}), which cannot be carried over; wait for its end, by waitpid(), "
        "before "
        "the safe point",
        number, name_of(number));
  return numbers.empty() ? CPPC_OK : CPPC_ERR_UNSUPPORTED;
}

}  // namespace cppc::address::children
