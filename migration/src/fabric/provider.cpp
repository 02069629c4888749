#include "fabric/provider.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>
#include <vector>

#include "cppc/unique_fd.hpp"

namespace cppc::fabric {
namespace {

constexpr std::size_t queue_depth = 128;

// Best first. What is not here is used only when asked for by name. From libfabric 1.18 on, "net" is called "tcp".
constexpr std::array preference = {"cxi", "verbs;ofi_rxm", "efa", "psm2", "psm", "net", "tcp", "tcp;ofi_rxm"};

std::string_view core_of(std::string_view provider) { return provider.substr(0, provider.find(';')); }

// Erratic, or some ten times slower than tcp.
bool unfit(std::string_view provider) { return core_of(provider) == "udp" || core_of(provider) == "sockets"; }

Info list_providers(bool rma) {
  const Info hints(fi_allocinfo());
  if (!hints) return {};
  hints->caps = FI_MSG | FI_TAGGED | (rma ? FI_RMA : 0);
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
  // We poll; asking for more would start a thread in some providers.
  hints->domain_attr->control_progress = FI_PROGRESS_MANUAL;
  hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
  // Some allocate their queues in full. We have a few dozen operations under way.
  hints->tx_attr->size = queue_depth;
  hints->rx_attr->size = queue_depth;
  // A write that is complete can be read by the target: the message that reports it may then take any way.
  if (rma) hints->tx_attr->op_flags = FI_DELIVERY_COMPLETE;

  fi_info* found = nullptr;
  const int rc = fi_getinfo(FI_VERSION(1, 17), nullptr, nullptr, 0, hints.get(), &found);
  if (rc != 0 && rc != -FI_ENODATA) spdlog::error("libfabric cannot list its providers: {}", fi_strerror(-rc));
  return Info(found);
}

std::string names_in(const fi_info* list) {
  std::vector<std::string> names;
  for (; list != nullptr; list = list->next) {
    const std::string name = list->fabric_attr->prov_name;
    if (!unfit(name) && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

// ------------------------------------------------------------------------------------------------------- addresses

bool is_ip(std::uint32_t format) { return format == FI_SOCKADDR_IN || format == FI_SOCKADDR_IN6; }

std::string numeric(const sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* bytes = address->sa_family == AF_INET
                          ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in*>(address)->sin_addr)
                          : static_cast<const void*>(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
  return inet_ntop(address->sa_family, bytes, text.data(), text.size()) != nullptr ? text.data() : "";
}

bool is_loopback(const sockaddr* address) {
  if (address->sa_family == AF_INET) {
    return (ntohl(reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr) >> 24) == IN_LOOPBACKNET;
  }
  return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
}

// Such an address means nothing without the name of an interface, which differs from node to node.
bool is_link_local(const sockaddr* address) {
  return address->sa_family == AF_INET6 &&
         IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
}

// How well an entry's interface does: 0 not at all, more is better.
int interface_rank(const fi_info& info, const ProviderWish& wish) {
  if (wish.exact && info.addr_format != wish.address_format) return 0;
  if (!is_ip(info.addr_format) || info.src_addr == nullptr) return info.addr_format == FI_SOCKADDR_IB ? 0 : 1;
  const auto* address = static_cast<const sockaddr*>(info.src_addr);
  if (!wish.local_address.empty()) return numeric(address) == wish.local_address ? 1 : 0;
  if (is_link_local(address)) return 0;
  return is_loopback(address) ? 1 : 2;
}

// The first of the entries of `provider` with the best interface; nullptr when none will do.
const fi_info* best_interface(const fi_info* list, std::string_view provider, const ProviderWish& wish) {
  const fi_info* best = nullptr;
  int best_rank = 0;
  for (; list != nullptr; list = list->next) {
    if (provider != list->fabric_attr->prov_name) continue;
    const int rank = interface_rank(*list, wish);
    if (rank > best_rank) best = list, best_rank = rank;
  }
  return best;
}

// The full names that `wish` allows, in the order to try them.
std::vector<std::string> names_wished(const fi_info* list, const ProviderWish& wish) {
  std::vector<std::string> names;
  if (wish.provider.empty()) {
    names.insert(names.end(), preference.begin(), preference.end());
    return names;
  }
  names.push_back(wish.provider);
  for (; list != nullptr; list = list->next) {
    if (core_of(list->fabric_attr->prov_name) == wish.provider) names.emplace_back(list->fabric_attr->prov_name);
  }
  return names;
}

const fi_info* choose_from(const fi_info* list, const ProviderWish& wish) {
  for (const auto& name : names_wished(list, wish)) {
    if (const auto* info = best_interface(list, name, wish)) return info;
  }
  return nullptr;
}

cppc_status report_missing(const fi_info* list, const ProviderWish& wish) {
  const std::string there = names_in(list);
  const std::string at = wish.local_address.empty() ? "" : " at the local address " + wish.local_address;
  if (wish.provider.empty()) {
    spdlog::error("no fabric{} for a migration; libfabric's providers here: {}", at, there);
  } else {
    spdlog::error("fabric provider '{}' is not available{}; libfabric's providers here: {} (see CPPC_FABRIC)",
                  wish.provider, at, there);
  }
  return CPPC_ERR_FABRIC;
}

// The address as numeric() writes it; empty when it is none.
std::string normalized(const std::string& text) {
  sockaddr_in v4{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {}, .sin_zero = {}};
  if (inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1) return numeric(reinterpret_cast<const sockaddr*>(&v4));
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  if (inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr) == 1) return numeric(reinterpret_cast<const sockaddr*>(&v6));
  return {};
}

}  // namespace

tl::expected<Info, cppc_status> choose_provider(ProviderWish wish) {
  if (unfit(wish.provider)) {
    spdlog::error("fabric provider '{}' is too slow or erratic for a migration: use tcp or net (see CPPC_FABRIC)",
                  wish.provider);
    return tl::unexpected(CPPC_ERR_FABRIC);
  }
  if (const auto given = std::exchange(wish.local_address, normalized(wish.local_address));
      !given.empty() && wish.local_address.empty()) {
    spdlog::error("the fabric's local address '{}' is not a numeric IPv4 or IPv6 address", given);
    return tl::unexpected(CPPC_ERR_ARGUMENT);
  }
  Info list = list_providers(wish.rma);
  const fi_info* info = choose_from(list.get(), wish);
  if (info == nullptr && wish.rma && !wish.exact) {
    list = list_providers(false);
    info = choose_from(list.get(), wish);
  }
  if (info == nullptr) return tl::unexpected(report_missing(list.get(), wish));
  Info chosen(fi_dupinfo(info));
  if (!chosen) return tl::unexpected(CPPC_ERR_MEMORY);
  return chosen;
}

tl::expected<std::string, cppc_status> address_towards(std::span<const std::byte> peer) {
  sockaddr_storage address{};
  if (peer.size() < sizeof(sa_family_t) || peer.size() > sizeof address) return std::string();
  std::memcpy(&address, peer.data(), peer.size());
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (generic->sa_family != AF_INET && generic->sa_family != AF_INET6) return std::string();

  // Connecting a datagram socket sends nothing; it only asks the routing table.
  const std::string far = numeric(generic);
  const UniqueFd datagrams(socket(generic->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  socklen_t length = sizeof address;
  if (datagrams.get() < 0 || connect(datagrams.get(), generic, static_cast<socklen_t>(peer.size())) != 0 ||
      getsockname(datagrams.get(), generic, &length) != 0) {
    spdlog::error("no route to the migration's target at {}: {}", far, std::strerror(errno));
    return tl::unexpected(CPPC_ERR_FABRIC);
  }
  return numeric(generic);
}

std::uint64_t node_identity() {
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  struct stat shared_memory {};
  if (stat("/dev/shm", &shared_memory) != 0) shared_memory.st_dev = 0;
  return XXH3_64bits_withSeed(boot.data(), boot.size(), shared_memory.st_dev);
}

}  // namespace cppc::fabric
