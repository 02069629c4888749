// This machine: what it is called, which addresses are its own, how many cores it has.
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <memory>
#include <set>
#include <utility>

#include "allocation.hpp"

namespace cppc::run {
namespace {

std::string address_bytes(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address).sin_addr;
    return {reinterpret_cast<const char*>(&v4), sizeof v4};
  }
  if (address.sa_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
    return {reinterpret_cast<const char*>(&v6), sizeof v6};
  }
  return {};
}

std::set<std::string> own_addresses() {
  ifaddrs* raw = nullptr;
  if (getifaddrs(&raw) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> interfaces(raw, freeifaddrs);
  std::set<std::string> addresses;
  for (const ifaddrs* one = interfaces.get(); one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr != nullptr) addresses.insert(address_bytes(*one->ifa_addr));
  }
  addresses.erase("");
  return addresses;
}

bool resolves_to_own_address(const std::string& name) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* raw = nullptr;
  if (getaddrinfo(name.c_str(), nullptr, &hints, &raw) != 0) return false;
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> found(raw, freeaddrinfo);
  const std::set<std::string> own = own_addresses();
  for (const addrinfo* one = found.get(); one != nullptr; one = one->ai_next) {
    if (own.contains(address_bytes(*one->ai_addr))) return true;
  }
  return false;
}

// Cores, not hardware threads: that is what mpirun takes as slots when nobody says how many there are.
int count_cores() {
  std::set<std::pair<int, int>> cores;
  const long threads = sysconf(_SC_NPROCESSORS_CONF);
  for (long thread = 0; thread < threads; ++thread) {
    const std::string directory = "/sys/devices/system/cpu/cpu" + std::to_string(thread) + "/topology/";
    int package = 0, core = 0;
    if (std::ifstream(directory + "physical_package_id") >> package && std::ifstream(directory + "core_id") >> core) {
      cores.emplace(package, core);
    }
  }
  return cores.empty() ? static_cast<int>(threads) : static_cast<int>(cores.size());
}

}  // namespace

Machine this_machine() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  const std::string full = name.data();
  const auto is_local = [full](const std::string& other) {
    return other == full || other == without_domain(full) || other == "localhost" || resolves_to_own_address(other);
  };
  return {without_domain(full), is_local, count_cores()};
}

}  // namespace cppc::run
