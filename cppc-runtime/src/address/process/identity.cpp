#include "address/process/identity.hpp"

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
};

bool ask(Identity& identity) {
  auto& [users, groups, others] = identity;
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
  return good ? CPPC_OK : CPPC_ERR_UNSUPPORTED;
}

}  // namespace cppc::address::identity
