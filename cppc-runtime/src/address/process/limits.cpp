#include "address/process/limits.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "log.hpp"

namespace cppc::address::limits {

namespace {

constexpr std::array<const char*, RLIM_NLIMITS> names{
    "RLIMIT_CPU",      "RLIMIT_FSIZE",  "RLIMIT_DATA",    "RLIMIT_STACK", "RLIMIT_CORE",  "RLIMIT_RSS",
    "RLIMIT_NPROC",    "RLIMIT_NOFILE", "RLIMIT_MEMLOCK", "RLIMIT_AS",    "RLIMIT_LOCKS", "RLIMIT_SIGPENDING",
    "RLIMIT_MSGQUEUE", "RLIMIT_NICE",   "RLIMIT_RTPRIO",  "RLIMIT_RTTIME"};

using Limits = std::array<rlimit, names.size()>;

struct Allowed {
  Limits limits;
  int priority;
};

constinit Allowed at_start{};
constinit Allowed wanted{};
constinit mode_t wanted_mask = 0;

Allowed now() {
  Allowed allowed{};
  for (std::size_t i = 0; i < names.size(); ++i)
    if (getrlimit(static_cast<__rlimit_resource_t>(i), &allowed.limits[i]) != 0)
      die(CPPC_ERR_SYSTEM, "a resource limit cannot be asked for");
  allowed.priority = getpriority(PRIO_PROCESS, 0);
  return allowed;
}

bool operator==(const rlimit& a, const rlimit& b) { return a.rlim_cur == b.rlim_cur && a.rlim_max == b.rlim_max; }

/// umask() would change it for a moment, for all threads.
std::optional<mode_t> mode_mask() {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;) {
    unsigned mask = 0;
    if (word == "Umask:" && file >> std::oct >> mask) return static_cast<mode_t>(mask);
  }
  log().error("/proc/self/status does not say the mode mask for new files");
  return std::nullopt;
}

std::optional<std::string> directory() {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::current_path(error);
  if (!error) return path.string();
  log().error("the working directory has no name any more ({}); change to one that exists on all nodes",
              error.message());
  return std::nullopt;
}

bool enter(const std::string& path) {
  if (chdir(path.c_str()) == 0) return true;
  log().error("the program's working directory {} cannot be entered here: {}", path, std::strerror(errno));
  return false;
}

/// Without privileges a hard limit can be lowered only.
bool allows(std::size_t i, bool set_by_program) {
  const rlim_t highest = now().limits[i].rlim_max;
  rlimit& limit = wanted.limits[i];
  if (limit.rlim_cur > highest && set_by_program) {
    log().error("the program has set {} to {}, and this process is allowed {} only", names[i], limit.rlim_cur, highest);
    return false;
  }
  limit.rlim_max = set_by_program ? std::min(limit.rlim_max, highest) : highest;
  limit.rlim_cur = std::min(limit.rlim_cur, highest);
  return true;
}

/// Tried at once: whether it is allowed depends on much.
bool take_priority(bool set_by_program) {
  if (wanted.priority == getpriority(PRIO_PROCESS, 0)) return true;
  if (setpriority(PRIO_PROCESS, 0, wanted.priority) == 0 || !set_by_program) return true;
  log().error("the program has set its priority to {}, which is not allowed here: {}", wanted.priority,
              std::strerror(errno));
  return false;
}

}  // namespace

void start() { at_start = now(); }

cppc_status write(ByteWriter& writer) {
  const auto path = directory();
  const auto mask = mode_mask();
  if (!path) return CPPC_ERR_UNSUPPORTED;
  if (!mask) return CPPC_ERR_SYSTEM;
  const Allowed allowed = now();
  writer.text(*path);
  writer.u32(*mask);
  for (std::size_t i = 0; i < names.size(); ++i) {
    writer.u64(allowed.limits[i].rlim_cur);
    writer.u64(allowed.limits[i].rlim_max);
    writer.u8(!(allowed.limits[i] == at_start.limits[i]));
  }
  writer.i32(allowed.priority);
  writer.u8(allowed.priority != at_start.priority);
  return CPPC_OK;
}

cppc_status prepare(ByteReader& reader) {
  const std::string path(reader.text());
  wanted_mask = reader.u32();
  std::array<bool, names.size()> set_by_program{};
  for (std::size_t i = 0; i < names.size(); ++i) {
    wanted.limits[i].rlim_cur = reader.u64();
    wanted.limits[i].rlim_max = reader.u64();
    set_by_program[i] = reader.u8() != 0;
  }
  wanted.priority = reader.i32();
  const bool priority_set = reader.u8() != 0;
  if (!reader.ok()) return CPPC_ERR_IMAGE;
  bool good = enter(path);
  for (std::size_t i = 0; i < names.size(); ++i) good = allows(i, set_by_program[i]) && good;
  return take_priority(priority_set) && good ? CPPC_OK : CPPC_ERR_UNSUPPORTED;
}

void apply() {
  umask(wanted_mask);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (setrlimit(static_cast<__rlimit_resource_t>(i), &wanted.limits[i]) != 0)
      die(CPPC_ERR_SYSTEM, "a resource limit of the program could not be set again");
}

}  // namespace cppc::address::limits
