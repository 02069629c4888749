#include "address/stack_limit.hpp"

#include <pthread.h>
#include <sys/resource.h>

#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

#include "log.hpp"

namespace cppc::address::stack_limit {

namespace {

constexpr const char* variable = "CPPC_STACK_LIMIT";
constexpr rlim_t enough = rlim_t{64} << 20;

/// As the C library does when it starts.
void give_threads(rlim_t limit) {
  constexpr std::size_t of_unlimited = std::size_t{2} << 20;
  pthread_attr_t attributes;
  if (pthread_getattr_default_np(&attributes) != 0) return;
  pthread_attr_setstacksize(&attributes, limit == RLIM_INFINITY ? of_unlimited : limit);
  pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}

}  // namespace

bool lower() {
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur <= enough) return false;
  if (setenv(variable, std::to_string(limit.rlim_cur).c_str(), 1) != 0)
    die(CPPC_ERR_MEMORY, "no memory for the environment");
  limit.rlim_cur = enough;
  return setrlimit(RLIMIT_STACK, &limit) == 0;
}

void restore() {
  const char* const value = std::getenv(variable);
  if (value == nullptr) return;
  const std::string_view text(value);
  rlimit limit{};
  rlim_t before = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), before).ec == std::errc() &&
      getrlimit(RLIMIT_STACK, &limit) == 0) {
    limit.rlim_cur = before;
    if (setrlimit(RLIMIT_STACK, &limit) == 0) give_threads(before);
  }
  unsetenv(variable);
}

}  // namespace cppc::address::stack_limit
