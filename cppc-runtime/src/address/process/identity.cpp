#include "address/process/identity.hpp"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "log.hpp"
#include "never_destroyed.hpp"

namespace cppc::address::identity {

namespace {

struct Identity {
  std::array<uid_t, 3> users{};   ///< real, effective, saved
  std::array<gid_t, 3> groups{};  ///< likewise
  std::vector<gid_t> others;
  std::vector<std::uint64_t> rights;    ///< sets of capabilities, and the filter of system calls
  std::vector<std::string> namespaces;  ///< as /proc has them
};

/// What the system does not tell counts as unchanged.
std::vector<std::uint64_t> rights_now() {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, 2> sets{};
  std::vector<std::uint64_t> rights;
  if (syscall(SYS_capget, &header, sets.data()) == 0)
    for (const auto& set : sets) rights.insert(rights.end(), {set.effective, set.permitted, set.inheritable});
  std::uint64_t bounding = 0;
  for (int one = 0; one < 64; ++one)
    if (prctl(PR_CAPBSET_READ, one) == 1) bounding |= std::uint64_t{1} << one;
  rights.push_back(bounding);
  for (const int asked : {PR_GET_SECCOMP, PR_GET_SECUREBITS})
    rights.push_back(static_cast<std::uint64_t>(prctl(asked)));
  return rights;
}

std::vector<std::string> namespaces_now() {
  std::vector<std::string> names;
  for (const char* kind : {"mnt", "uts", "ipc", "net", "user", "cgroup", "pid_for_children", "time_for_children"}) {
    std::array<char, 64> name{};
    const ssize_t bytes = readlink(("/proc/self/ns/" + std::string(kind)).c_str(), name.data(), name.size());
    names.emplace_back(name.data(), bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  }
  return names;
}

bool ask(Identity& identity) {
  auto& [users, groups, others, rights, namespaces] = identity;
  rights = rights_now();
  namespaces = namespaces_now();
  const int count = getgroups(0, nullptr);
  others.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return getresuid(&users[0], &users[1], &users[2]) == 0 && getresgid(&groups[0], &groups[1], &groups[2]) == 0 &&
         getgroups(count, others.data()) == count;
}

Identity& at_start() {
  static NeverDestroyed<Identity> identity;
  return *identity;
}

bool refuse(const std::string& what) {
  log().error("the program has changed {} since its start, which another process would not have", what);
  return false;
}

}  // namespace

void start() {
  if (!ask(at_start())) die(CPPC_ERR_SYSTEM, "the process's user cannot be asked for");
}

cppc_status check() {
  Identity now;
  if (!ask(now)) {
    log().error("the process's user cannot be asked for: {}", std::strerror(errno));
    return CPPC_ERR_SYSTEM;
  }
  bool good = now.users == at_start().users || refuse("its user (to " + std::to_string(now.users[1]) + ")");
  good = (now.groups == at_start().groups || refuse("its group (to " + std::to_string(now.groups[1]) + ")")) && good;
  good = (now.others == at_start().others || refuse("its supplementary groups")) && good;
  good = (now.rights == at_start().rights || refuse("its capabilities, or what system calls it may make")) && good;
  good = (now.namespaces == at_start().namespaces || refuse("its namespaces")) && good;
  return good ? CPPC_OK : CPPC_ERR_UNSUPPORTED;
}

}  // namespace cppc::address::identity
