#include "fabric/endpoint.hpp"

#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "fabric/control.hpp"
#include "fabric/guard.hpp"
#include "fabric/random.hpp"
#include "fabric/signals.hpp"

namespace cppc::fabric {
namespace {

tl::expected<void, cppc_status> check(int rc, const char* what, const std::string& provider) {
  if (rc == 0) return {};
  spdlog::error("fabric provider {}: cannot {}: {}", provider, what, fi_strerror(-rc));
  return tl::unexpected(CPPC_ERR_FABRIC);
}

// Calls one of libfabric's fi_*(..., Object** result) and takes what it makes.
template <class Object, class Open>
tl::expected<void, cppc_status> make(Owned<Object>& object, const char* what, const std::string& provider, Open open) {
  Object* made = nullptr;
  return check(open(&made), what, provider).map([&] { object.reset(made); });
}

tl::expected<Endpoint, cppc_status> open_as(const ProviderWish& wish) {
  const SignalKeeper keeper;
  auto info = choose_provider(wish);
  if (!info) return tl::unexpected(info.error());
  const bool rma = wish.rma && ((*info)->caps & FI_RMA) != 0;
  auto impl = std::make_unique<Endpoint::Impl>(std::move(*info), rma);
  return impl->open().map([&] { return Endpoint(std::move(impl)); });
}

}  // namespace

void close_object(fid* object) {
  if (const int rc = fi_close(object); rc != 0) spdlog::warn("the fabric leaks an object: {}", fi_strerror(-rc));
}

// ---------------------------------------------------------------------------------------------------------- Endpoint

tl::expected<Endpoint, cppc_status> Endpoint::open(const EndpointOptions& options) {
  return guarded([&] {
    ProviderWish wish{.provider = options.provider, .local_address = options.local_address, .rma = options.rma};
    const char* setting = std::getenv("CPPC_FABRIC");
    if (wish.provider.empty() && setting != nullptr) wish.provider = setting;
    return open_as(wish);
  });
}

tl::expected<Endpoint, cppc_status> Endpoint::open_towards(const Offer& offer) {
  return guarded([&]() -> tl::expected<Endpoint, cppc_status> {
    if (offer.provider == "shm" && offer.node != node_identity()) {
      spdlog::error("the migration's target offers shared memory (shm), but runs on another node");
      return tl::unexpected(CPPC_ERR_FABRIC);
    }
    auto local = address_towards(offer.address);
    if (!local) return tl::unexpected(local.error());
    return open_as({.provider = offer.provider,
                    .local_address = std::move(*local),
                    .rma = offer.rma,
                    .exact = true,
                    .address_format = offer.address_format});
  });
}

Endpoint::Endpoint(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Endpoint::Endpoint(Endpoint&&) noexcept = default;
Endpoint& Endpoint::operator=(Endpoint&&) noexcept = default;
Endpoint::~Endpoint() = default;

const std::string& Endpoint::provider() const { return impl_->provider; }
const std::vector<std::byte>& Endpoint::address() const { return impl_->address; }

// -------------------------------------------------------------------------------------------------------------- Impl

Endpoint::Impl::Impl(Info chosen, bool use_rma)
    : info(std::move(chosen)), rma(use_rma), provider(info->fabric_attr->prov_name) {
  // Who knows a key may write: where it is for us to choose, it is not to be guessed.
  random_bytes(std::as_writable_bytes(std::span(&next_key_, 1)));
}

// Different from all others of this endpoint, of the length that the provider takes. A provider that makes its own keys
// does not look at ours.
std::uint64_t Endpoint::Impl::new_key() {
  const std::size_t bits = std::min<std::size_t>(info->domain_attr->mr_key_size * 8, 63);
  return next_key_++ & ((std::uint64_t{1} << bits) - 1);
}

tl::expected<void, cppc_status> Endpoint::Impl::open() {
  fi_av_attr addresses{};
  addresses.type = info->domain_attr->av_type;
  fi_cq_attr completions{};
  completions.format = FI_CQ_FORMAT_TAGGED;
  completions.wait_obj = FI_WAIT_NONE;
  completions.size = info->tx_attr->size + info->rx_attr->size;
  const auto bind_and_enable = [&]() -> int {
    if (const int rc = fi_ep_bind(endpoint_.get(), &addresses_->fid, 0); rc != 0) return rc;
    if (const int rc = fi_ep_bind(endpoint_.get(), &completions_->fid, FI_TRANSMIT | FI_RECV); rc != 0) return rc;
    return fi_enable(endpoint_.get());
  };
  const auto name = [&]() -> int {
    std::size_t length = 256;
    address.resize(length);
    const int rc = fi_getname(&endpoint_->fid, address.data(), &length);
    if (rc == 0) address.resize(length);
    return rc;
  };
  return make(fabric_, "open the fabric", provider,
              [&](auto** made) { return fi_fabric(info->fabric_attr, made, nullptr); })
      .and_then([&] {
        return make(domain_, "open a domain", provider,
                    [&](auto** made) { return fi_domain(fabric_.get(), info.get(), made, nullptr); });
      })
      .and_then([&] {
        return make(addresses_, "make an address table", provider,
                    [&](auto** made) { return fi_av_open(domain_.get(), &addresses, made, nullptr); });
      })
      .and_then([&] {
        return make(completions_, "make a completion queue", provider,
                    [&](auto** made) { return fi_cq_open(domain_.get(), &completions, made, nullptr); });
      })
      .and_then([&] {
        return make(endpoint_, "make an endpoint", provider,
                    [&](auto** made) { return fi_endpoint(domain_.get(), info.get(), made, nullptr); });
      })
      .and_then([&] { return check(bind_and_enable(), "start the endpoint", provider); })
      .and_then([&] { return check(name(), "name the endpoint", provider); });
}

tl::expected<Region, cppc_status> Endpoint::Impl::register_memory(std::span<const std::byte> memory,
                                                                  std::uint64_t access) {
  Owned<fid_mr> object;
  auto made = make(object, "register memory", provider, [&](auto** result) {
    return fi_mr_reg(domain_.get(), memory.data(), memory.size(), access, 0, new_key(), 0, result, nullptr);
  });
  if (made && (info->domain_attr->mr_mode & FI_MR_ENDPOINT) != 0) {
    made = check(fi_mr_bind(object.get(), &endpoint_->fid, 0), "bind memory to the endpoint", provider).and_then([&] {
      return check(fi_mr_enable(object.get()), "enable registered memory", provider);
    });
  }
  return made.map([&] { return Region(std::move(object)); });
}

tl::expected<fi_addr_t, cppc_status> Endpoint::Impl::insert(std::span<const std::byte> bytes) {
  // The provider takes as many bytes as its addresses have, or all until a zero, whoever has sent them.
  std::array<std::byte, longest_address + 1> whole{};
  if (bytes.empty() || bytes.size() > longest_address) return tl::unexpected(CPPC_ERR_FABRIC);
  std::ranges::copy(bytes, whole.begin());
  fi_addr_t inserted = FI_ADDR_NOTAVAIL;
  if (fi_av_insert(addresses_.get(), whole.data(), 1, &inserted, 0, nullptr) != 1 || inserted == FI_ADDR_NOTAVAIL) {
    return tl::unexpected(CPPC_ERR_FABRIC);
  }
  return inserted;
}

std::string Endpoint::Impl::text_of(fi_addr_t peer) const {
  std::array<std::byte, 256> bytes{};
  std::size_t length = bytes.size();
  if (fi_av_lookup(addresses_.get(), peer, bytes.data(), &length) != 0) return "unknown";
  std::array<char, 256> text{};
  length = text.size();
  fi_av_straddr(addresses_.get(), bytes.data(), text.data(), &length);
  return text.data();
}

tl::expected<bool, cppc_status> Endpoint::Impl::posted(Operation& operation, ssize_t rc, const char* what) {
  if (rc == -FI_EAGAIN) return false;
  if (auto done = check(static_cast<int>(rc), what, provider); !done) return tl::unexpected(done.error());
  operation.state = Operation::State::posted;
  return true;
}

tl::expected<bool, cppc_status> Endpoint::Impl::receive(Operation& operation, std::span<std::byte> into,
                                                        const Region& region) {
  return posted(
      operation,
      fi_recv(endpoint_.get(), into.data(), into.size(), region.descriptor(), FI_ADDR_UNSPEC, &operation.context),
      "receive a message");
}

tl::expected<bool, cppc_status> Endpoint::Impl::send(Operation& operation, std::span<const std::byte> bytes,
                                                     const Region& region, fi_addr_t to) {
  return posted(operation,
                fi_send(endpoint_.get(), bytes.data(), bytes.size(), region.descriptor(), to, &operation.context),
                "send a message");
}

tl::expected<bool, cppc_status> Endpoint::Impl::receive_tagged(Operation& operation, std::span<std::byte> into,
                                                               const Region& region, std::uint64_t tag) {
  return posted(operation,
                fi_trecv(endpoint_.get(), into.data(), into.size(), region.descriptor(), FI_ADDR_UNSPEC, tag, 0,
                         &operation.context),
                "receive a chunk");
}

tl::expected<bool, cppc_status> Endpoint::Impl::send_tagged(Operation& operation, std::span<const std::byte> bytes,
                                                            const Region& region, fi_addr_t to, std::uint64_t tag) {
  return posted(operation,
                fi_tsend(endpoint_.get(), bytes.data(), bytes.size(), region.descriptor(), to, tag, &operation.context),
                "send a chunk");
}

tl::expected<bool, cppc_status> Endpoint::Impl::write(Operation& operation, std::span<const std::byte> bytes,
                                                      const Region& region, fi_addr_t to, std::uint64_t remote,
                                                      std::uint64_t key) {
  const iovec local{const_cast<std::byte*>(bytes.data()), bytes.size()};
  void* descriptor = region.descriptor();
  const fi_rma_iov target{remote, bytes.size(), key};
  fi_msg_rma message{};
  message.msg_iov = &local;
  message.desc = &descriptor;
  message.iov_count = 1;
  message.addr = to;
  message.rma_iov = &target;
  message.rma_iov_count = 1;
  message.context = &operation.context;
  // Some providers heed the flag only where it is given anew.
  return posted(operation, fi_writemsg(endpoint_.get(), &message, FI_COMPLETION | FI_DELIVERY_COMPLETE),
                "write a chunk");
}

std::size_t Endpoint::Impl::take_failure() {
  fi_cq_err_entry entry{};
  if (fi_cq_readerr(completions_.get(), &entry, 0) != 1) return 0;
  if (entry.op_context == nullptr) return 1;
  auto& operation = *static_cast<Operation*>(entry.op_context);
  operation.state = Operation::State::failed;
  operation.error = entry.err;
  return 1;
}

tl::expected<std::size_t, cppc_status> Endpoint::Impl::poll() {
  std::array<fi_cq_tagged_entry, 16> entries{};
  const ssize_t count = fi_cq_read(completions_.get(), entries.data(), entries.size());
  if (count == -FI_EAGAIN) return 0;
  if (count == -FI_EAVAIL) return take_failure();
  if (count < 0) {
    return check(static_cast<int>(count), "read completions", provider).map([] { return std::size_t{0}; });
  }
  for (ssize_t i = 0; i < count; ++i) {
    if (entries[i].op_context == nullptr) continue;
    auto& operation = *static_cast<Operation*>(entries[i].op_context);
    operation.state = Operation::State::complete;
    operation.length = entries[i].len;
  }
  return static_cast<std::size_t>(count);
}

}  // namespace cppc::fabric
