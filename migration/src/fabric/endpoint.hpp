/// libfabric's objects, owned; operations posted on them and their completion.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <type_traits>
#include <vector>

#include "fabric.hpp"
#include "fabric/provider.hpp"

namespace cppc::fabric {

void close_object(fid* object);  // logs when the provider refuses

template <class Object>
struct ObjectDeleter {
  void operator()(Object* object) const { close_object(&object->fid); }
};
template <class Object>
using Owned = std::unique_ptr<Object, ObjectDeleter<Object>>;

/// Registered memory: usable by the provider for as long as this lives.
class Region {
 public:
  Region() = default;
  explicit Region(Owned<fid_mr> object) : object_(std::move(object)) {}

  [[nodiscard]] void* descriptor() const { return object_ ? fi_mr_desc(object_.get()) : nullptr; }
  [[nodiscard]] std::uint64_t key() const { return object_ ? fi_mr_key(object_.get()) : 0; }

 private:
  Owned<fid_mr> object_;
};

/// Something posted. Stays in place from being posted until it is no longer `posted`, or the endpoint is closed.
struct Operation {
  enum class State { idle, posted, complete, failed };

  fi_context2 context{};  // first: the provider's scratch space, by whose address completions name the operation
  State state = State::idle;
  std::size_t length = 0;  // received, when complete
  int error = 0;           // when failed: libfabric's number
};
static_assert(std::is_standard_layout_v<Operation>);

struct Endpoint::Impl {
  Impl(Info chosen, bool rma);

  tl::expected<void, cppc_status> open();

  /// Ends all operations, complete or not. Before this, memory is to be unregistered; after it, it may go.
  void close() { endpoint_.reset(); }

  /// `access`: FI_SEND, FI_REMOTE_WRITE, ...; `memory` is not empty.
  tl::expected<Region, cppc_status> register_memory(std::span<const std::byte> memory, std::uint64_t access);

  /// What a peer calls the first byte of registered memory.
  [[nodiscard]] std::uint64_t remote_address(std::span<const std::byte> memory) const {
    const bool virtual_addresses = (info->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
    return virtual_addresses ? reinterpret_cast<std::uintptr_t>(memory.data()) : 0;
  }

  /// CPPC_ERR_FABRIC, not logged, when the bytes are no address.
  tl::expected<fi_addr_t, cppc_status> insert(std::span<const std::byte> address);

  /// In the provider's notation, for messages.
  [[nodiscard]] std::string text_of(fi_addr_t address) const;

  /// Post; false: not now, poll and try again.
  tl::expected<bool, cppc_status> receive(Operation& operation, std::span<std::byte> into, const Region& region);
  tl::expected<bool, cppc_status> send(Operation& operation, std::span<const std::byte> bytes, const Region& region,
                                       fi_addr_t to);
  tl::expected<bool, cppc_status> receive_tagged(Operation& operation, std::span<std::byte> into, const Region& region,
                                                 std::uint64_t tag);
  tl::expected<bool, cppc_status> send_tagged(Operation& operation, std::span<const std::byte> bytes,
                                              const Region& region, fi_addr_t to, std::uint64_t tag);
  tl::expected<bool, cppc_status> write(Operation& operation, std::span<const std::byte> bytes, const Region& region,
                                        fi_addr_t to, std::uint64_t remote, std::uint64_t key);

  /// Lets the provider work and marks what has completed or failed; returns how many.
  tl::expected<std::size_t, cppc_status> poll();

  Info info;
  bool rma;
  std::string provider;
  std::vector<std::byte> address;

 private:
  tl::expected<bool, cppc_status> posted(Operation& operation, ssize_t rc, const char* what);
  std::size_t take_failure();
  std::uint64_t new_key();

  std::uint64_t next_key_;
  // In the order in which they need each other; destroyed in the reverse.
  Owned<fid_fabric> fabric_;
  Owned<fid_domain> domain_;
  Owned<fid_av> addresses_;
  Owned<fid_cq> completions_;
  Owned<fid_ep> endpoint_;
};

}  // namespace cppc::fabric
