#include "cppc/memory_free.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace cppc::migration {
namespace {

namespace fs = std::filesystem;
using Bytes = std::uint64_t;

constexpr Bytes kNoLimit = std::numeric_limits<Bytes>::max();

/// The files of a version of control groups.
struct Version {
  const char* limit;
  const char* used;
  const char* cache;  ///< in memory.stat: of files, not used lately
};
constexpr Version kFirst{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
constexpr Version kSecond{"memory.max", "memory.current", "inactive_file"};

/// Where the groups of one version are mounted, and which of them is at the mount point.
struct Mount {
  fs::path point;
  std::string root;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

bool contains(const std::vector<std::string>& parts, const std::string& part) {
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

std::optional<Bytes> number(const fs::path& file) {
  Bytes value = 0;
  if (std::ifstream(file) >> value) return value;
  return std::nullopt;
}

/// The number after `key` in a file of such lines.
std::optional<Bytes> number(const fs::path& file, const std::string& key) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    Bytes value = 0;
    if (words >> name >> value && name == key) return value;
  }
  return std::nullopt;
}

/// proc/self/mountinfo: number, parent, device, root, point, options, any fields, "-", kind, source, options.
std::optional<Mount> find_mount(const fs::path& root, const Version& version) {
  std::ifstream lines(root / "proc/self/mountinfo");
  for (std::string line; std::getline(lines, line);) {
    const auto fields = split(line, ' ');
    const auto dash = std::find(fields.begin(), fields.end(), "-");
    if (fields.end() - dash < 4 || dash - fields.begin() < 5) continue;
    const bool fits =
        &version == &kSecond ? dash[1] == "cgroup2" : dash[1] == "cgroup" && contains(split(dash[3], ','), "memory");
    if (fits) return Mount{root / fs::path(fields[4]).relative_path(), fields[3]};
  }
  return std::nullopt;
}

/// proc/self/cgroup: "number:controllers:group"; without controllers in the second version.
std::optional<std::string> find_group(const fs::path& root, const Version& version) {
  std::ifstream lines(root / "proc/self/cgroup");
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool fits = &version == &kSecond ? controllers.empty() : contains(split(controllers, ','), "memory");
    if (fits) return line.substr(second + 1);
  }
  return std::nullopt;
}

/// The mount point when the group is not below it, as in some containers.
fs::path directory_of(const std::string& group, const Mount& mount) {
  if (group.find("/..") != std::string::npos) return mount.point;
  if (mount.root == "/") return mount.point / fs::path(group).relative_path();
  if (group != mount.root && !group.starts_with(mount.root + "/")) return mount.point;
  return mount.point / fs::path(group.substr(mount.root.size())).relative_path();
}

Bytes left_in(const fs::path& group, const Version& version) {
  const auto limit = number(group / version.limit), used = number(group / version.used);
  if (!limit || !used) return kNoLimit;  // "max", or the outermost group
  const Bytes cache = std::min(number(group / "memory.stat", version.cache).value_or(0), *used);
  return *limit - std::min(*limit, *used - cache);
}

Bytes left_in_groups(const fs::path& root, const Version& version) {
  const auto mount = find_mount(root, version);
  const auto group = find_group(root, version);
  if (!mount || !group) return kNoLimit;
  Bytes left = kNoLimit;
  fs::path directory = directory_of(*group, *mount).lexically_normal();
  if (!directory.has_filename()) directory = directory.parent_path();  // it ended with '/'
  while (true) {
    left = std::min(left, left_in(directory, version));
    if (directory == mount->point || directory == directory.parent_path()) return left;
    directory = directory.parent_path();
  }
}

}  // namespace

Bytes memory_free(const fs::path& root) {
  const Bytes available = number(root / "proc/meminfo", "MemAvailable:").value_or(0) * 1024;
  return std::min({available, left_in_groups(root, kFirst), left_in_groups(root, kSecond)});
}

}  // namespace cppc::migration
