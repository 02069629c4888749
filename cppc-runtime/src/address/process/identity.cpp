#include "address/process/identity.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "log.hpp"

namespace cppc::address::identity {

namespace {

/// Of Linux.
constexpr std::size_t most_groups = 65536;

/// Real, effective and saved.
struct Identity {
  std::array<uid_t, 3> users{};
  std::array<gid_t, 3> groups{};
  std::array<gid_t, most_groups> others{};
  int count = 0;
};

constinit Identity at_start{}, now{};

bool ask(Identity& identity) {
  auto& [users, groups, others, count] = identity;
  count = getgroups(others.size(), others.data());
  return getresuid(&users[0], &users[1], &users[2]) == 0 && getresgid(&groups[0], &groups[1], &groups[2]) == 0 &&
         count >= 0;
}

bool same_groups() {
  return now.count == at_start.count &&
         std::equal(now.others.begin(), now.others.begin() + now.count, at_start.others.begin());
}

bool refuse(const std::string& what) {
  log().error("the program has changed {} since its start, which another process would not have", what);
  return false;
}

}  // namespace

void start() {
  if (!ask(at_start)) die(CPPC_ERR_SYSTEM, "the process's user cannot be asked for");
}

cppc_status check() {
  if (!ask(now)) {
    log().error("the process's user cannot be asked for: {}", std::strerror(errno));
    return CPPC_ERR_SYSTEM;
  }
  bool good = now.users == at_start.users || refuse("its user (to " + std::to_string(now.users[1]) + ")");
  good = (now.groups == at_start.groups || refuse("its group (to " + std::to_string(now.groups[1]) + ")")) && good;
  good = (same_groups() || refuse("its supplementary groups")) && good;
  return good ? CPPC_OK : CPPC_ERR_UNSUPPORTED;
}

}  // namespace cppc::address::identity
