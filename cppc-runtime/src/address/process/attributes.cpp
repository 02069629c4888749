#include "address/process/attributes.hpp"

#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <type_traits>

#include "log.hpp"
#include "never_destroyed.hpp"

namespace cppc::address::attributes {

namespace {

/// Bytes; none where the system does not tell, which some do not within containers.
using Value = std::optional<std::string>;

struct Attribute {
  const char* name;  ///< for messages: as users know it
  Value (*get)();
  bool (*set)(const std::string& value);  ///< false: errno has why
};

template <class T>
std::string bytes_of(const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

template <class T>
bool from_bytes(const std::string& bytes, T& value) {
  if (bytes.size() != sizeof value) {
    errno = EINVAL;
    return false;
  }
  std::memcpy(&value, bytes.data(), sizeof value);
  return true;
}

/// The kernel's struct sched_attr, whose header cannot be included beside <sched.h>.
struct Scheduling {
  std::uint32_t size, policy;
  std::uint64_t flags;
  std::int32_t nice;  ///< of limits.hpp
  std::uint32_t priority;
  std::uint64_t runtime, deadline, period;
};

Value policy() {
  Scheduling attributes{};
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return std::nullopt;
  attributes.nice = 0;
  return bytes_of(attributes);
}

bool set_policy(const std::string& value) {
  Scheduling attributes{};
  if (!from_bytes(value, attributes)) return false;
  attributes.nice = getpriority(PRIO_PROCESS, 0);
  return syscall(SYS_sched_setattr, 0, &attributes, 0) == 0;
}

constexpr int io_of_process = 1;  // IOPRIO_WHO_PROCESS: <linux/ioprio.h> is not for C++

Value io_priority() {
  const long value = syscall(SYS_ioprio_get, io_of_process, 0);
  return value < 0 ? Value() : bytes_of(value);
}

bool set_io_priority(const std::string& bytes) {
  long value = 0;
  return from_bytes(bytes, value) && syscall(SYS_ioprio_set, io_of_process, 0, value) == 0;
}

struct MemoryPolicy {
  long mode = 0;
  std::array<unsigned long, 16> nodes{};  // for 1,024, as many as kernels have
};

constexpr unsigned long node_bits = sizeof(MemoryPolicy::nodes) * 8;

Value memory_policy() {
  MemoryPolicy policy;
  int mode = 0;
  if (syscall(SYS_get_mempolicy, &mode, policy.nodes.data(), node_bits, nullptr, 0) != 0) return std::nullopt;
  policy.mode = mode;
  return bytes_of(policy);
}

bool set_memory_policy(const std::string& value) {
  MemoryPolicy policy;
  return from_bytes(value, policy) && syscall(SYS_set_mempolicy, policy.mode, policy.nodes.data(), node_bits + 1) == 0;
}

constexpr unsigned long ask_for_domain = 0xffffffff;

Value execution_domain() {
  const int value = personality(ask_for_domain);
  return value < 0 ? Value() : bytes_of(static_cast<unsigned long>(value));
}

bool set_execution_domain(const std::string& bytes) {
  unsigned long value = 0;
  return from_bytes(bytes, value) && personality(value) >= 0;
}

/// For those which prctl() returns.
template <int option>
Value returned() {
  const int value = prctl(option, 0, 0, 0, 0);
  return value < 0 ? Value() : bytes_of(static_cast<unsigned long>(value));
}

/// For those which it writes to an int.
template <int option>
Value written() {
  int value = 0;
  if (prctl(option, &value, 0, 0, 0) != 0) return std::nullopt;
  return bytes_of(static_cast<unsigned long>(value));
}

template <int option>
bool set_option(const std::string& bytes) {
  unsigned long value = 0;
  return from_bytes(bytes, value) && prctl(option, value, 0, 0, 0) == 0;
}

Value line_of(const char* path) {
  std::ifstream file(path);
  std::string line;
  return std::getline(file, line) ? Value(line) : std::nullopt;
}

bool write_to(const char* path, const std::string& text) {
  std::ofstream file(path);
  file << text << std::flush;
  return file.good();
}

constexpr const char* out_of_memory_path = "/proc/self/oom_score_adj";
constexpr const char* core_path = "/proc/self/coredump_filter";

/// Without the prefix it would be read as octal.
bool set_core_filter(const std::string& value) { return write_to(core_path, "0x" + value); }

constexpr std::array attributes{
    Attribute{"the scheduling policy", policy, set_policy},
    Attribute{"the I/O priority", io_priority, set_io_priority},
    Attribute{"the NUMA policy", memory_policy, set_memory_policy},
    Attribute{"the execution domain", execution_domain, set_execution_domain},
    Attribute{"the timer slack", returned<PR_GET_TIMERSLACK>, set_option<PR_SET_TIMERSLACK>},
    Attribute{"PR_SET_THP_DISABLE", returned<PR_GET_THP_DISABLE>, set_option<PR_SET_THP_DISABLE>},
    Attribute{"PR_SET_DUMPABLE", returned<PR_GET_DUMPABLE>, set_option<PR_SET_DUMPABLE>},
    Attribute{"PR_SET_PDEATHSIG", written<PR_GET_PDEATHSIG>, set_option<PR_SET_PDEATHSIG>},
    Attribute{"PR_SET_CHILD_SUBREAPER", written<PR_GET_CHILD_SUBREAPER>, set_option<PR_SET_CHILD_SUBREAPER>},
    Attribute{"oom_score_adj", [] { return line_of(out_of_memory_path); },
              [](const std::string& value) { return write_to(out_of_memory_path, value); }},
    Attribute{"coredump_filter", [] { return line_of(core_path); }, set_core_filter},
    // Last: it takes away means of setting others.
    Attribute{"PR_SET_NO_NEW_PRIVS", returned<PR_GET_NO_NEW_PRIVS>, set_option<PR_SET_NO_NEW_PRIVS>},
};

using Values = std::array<Value, attributes.size()>;

Values& at_start() {
  static NeverDestroyed<Values> values;
  return *values;
}

}  // namespace

void start() {
  for (std::size_t i = 0; i < attributes.size(); ++i) at_start()[i] = attributes[i].get();
}

cppc_status write(ByteWriter& writer) {
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    const Value now = attributes[i].get();
    const bool changed = now && now != at_start()[i];
    writer.u8(changed);
    if (changed) writer.text(*now);
  }
  return CPPC_OK;
}

cppc_status prepare(ByteReader& reader) {
  bool good = true;
  for (const Attribute& attribute : attributes) {
    if (reader.u8() == 0) continue;
    const std::string value(reader.text());
    if (!reader.ok()) return CPPC_ERR_IMAGE;
    if (attribute.get() == value || attribute.set(value)) continue;
    log().error("the program has changed {}, which is not allowed here: {}", attribute.name, std::strerror(errno));
    good = false;
  }
  if (!reader.ok()) return CPPC_ERR_IMAGE;
  return good ? CPPC_OK : CPPC_ERR_UNSUPPORTED;
}

}  // namespace cppc::address::attributes
