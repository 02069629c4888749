/// The fabric: moves a rank's image from the leaving process to its replacement over libfabric, in place and checked.
///
/// In the order of use:
///   target: Endpoint::open -> Receiver::prepare -> offer().encode(), by the job's own channel, to the source ->
///   receive source: Offer::decode -> Endpoint::open_towards -> send
///
/// The source writes by RMA straight from program memory into the target's buffer; where a provider has no RMA, by
/// tagged messages. The target compares an XXH3-64 of every chunk; the source learns the verdict. Only a peer that
/// shows the offer's one-time token is listened to.
///
/// Threads: an endpoint and what uses it belong to one thread at a time; different endpoints are independent, of each
/// other and of MPI. No threads are started, no signal handlers set, nothing is written to standard output.
/// Nothing throws and nothing waits for ever: errors are a cppc_status, logged by name where first met. After an error
/// of receive or send the endpoint is closed, and the fabric no longer touches the memory it was given.
///
/// Settings: CPPC_FABRIC names the provider (tcp, net, shm, verbs, or in full as "tcp;ofi_rxm"); FI_LOG_LEVEL makes
/// libfabric talk on standard error.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "cppc/image.hpp"
#include "cppc/status.h"

namespace cppc::fabric {

using image::Extent;

using Token = std::array<std::byte, 16>;

/// What the source needs to write into the target's buffer. A secret between the two: it holds the token and the key.
struct Offer {
  std::string provider;              ///< in libfabric's spelling
  std::uint32_t address_format = 0;  ///< FI_SOCKADDR_IN, ...
  std::vector<std::byte> address;    ///< of the target's endpoint
  std::uint64_t node = 0;            ///< where processes share memory, they have the same
  std::uint64_t capacity = 0;        ///< bytes of the buffer
  bool rma = false;                  ///< base and key are valid
  std::uint64_t base = 0;            ///< remote address of the buffer's first byte
  std::uint64_t key = 0;
  Token token{};

  /// A few hundred bytes; the same on every architecture that is little-endian.
  [[nodiscard]] std::vector<std::byte> encode() const;

  /// CPPC_ERR_ARGUMENT for anything that encode() has not made.
  static tl::expected<Offer, cppc_status> decode(std::span<const std::byte> bytes);
};

struct EndpointOptions {
  std::string provider;       ///< empty: CPPC_FABRIC; that unset or empty too: the best there is
  std::string local_address;  ///< numeric IPv4 or IPv6 address to use, which the source must be able to reach; empty:
                              ///< the first that is not loopback
  bool same_node = false;     ///< the peer shares memory with this process, so that shm comes first
  bool rma = true;            ///< false: tagged messages, also where the provider offers RMA
};

/// The first to be opened in a process costs 0.2 s and more, for libfabric then looks for all kinds of hardware; later
/// ones cost milliseconds. So one that is opened in vain early on saves time when it counts.
class Endpoint {
 public:
  /// CPPC_ERR_FABRIC when the provider asked for, or any, is not there; the log lists those that are.
  static tl::expected<Endpoint, cppc_status> open(const EndpointOptions& options = {});

  /// An endpoint of the offer's provider, on the interface that leads to the offer's address.
  static tl::expected<Endpoint, cppc_status> open_towards(const Offer& offer);

  Endpoint(Endpoint&&) noexcept;
  Endpoint& operator=(Endpoint&&) noexcept;
  ~Endpoint();

  [[nodiscard]] const std::string& provider() const;

  /// Opaque; for a peer with the same provider.
  [[nodiscard]] const std::vector<std::byte>& address() const;

  struct Impl;
  explicit Endpoint(std::unique_ptr<Impl> impl);
  [[nodiscard]] Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// How long to wait, and for what. Up to two seconds are added to tell a living peer that one gives up.
struct Patience {
  std::chrono::steady_clock::time_point deadline;  ///< passed: CPPC_ERR_TIMEOUT
  std::function<bool()> cancelled;                 ///< if given, asked between polls; true: CPPC_ERR_CANCELLED
  /// Once they have met, both peers give a sign of life ten times in this span, whatever else happens; a peer silent
  /// for all of it is taken for dead (CPPC_ERR_FABRIC). All chunks in flight must fit through the network in less.
  std::chrono::milliseconds silence{10'000};
};

/// Called from within receive and send: bytes that arrived and were verified (target) or were delivered (source), of
/// all.
using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

struct Transferred {
  std::uint64_t bytes = 0;  ///< sum of the extents
  std::uint64_t size = 0;   ///< end of the last extent: the size of the image file
};

class Receiver {
 public:
  /// Registers `buffer` for one transfer and makes an offer of it. `buffer` must outlive the receiver. On some
  /// providers its memory is pinned here, and so allocated if it has not been touched yet.
  static tl::expected<Receiver, cppc_status> prepare(Endpoint endpoint, std::span<std::byte> buffer);

  Receiver(Receiver&&) noexcept;
  Receiver& operator=(Receiver&&) noexcept;
  ~Receiver();

  [[nodiscard]] const Offer& offer() const;

  /// Waits for the source and for everything it sends; once per receiver (then CPPC_ERR_STATE). Extents lie in the
  /// buffer at their offsets; bytes between them are left alone. Success: all has arrived and is verified, and the
  /// source has been told. CPPC_ERR_CHECKSUM: a chunk differs from what was sent. CPPC_ERR_FABRIC: the transfer failed
  /// or the source died. When the source gives up, the status it gave up with. Most providers move nothing while this
  /// is not called.
  tl::expected<Transferred, cppc_status> receive(const Patience& patience, const Progress& progress = {});

  struct Impl;

 private:
  explicit Receiver(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

struct Tuning {
  std::size_t chunk_bytes = std::size_t{4} << 20;  ///< bytes in one write
  std::size_t in_flight = 4;                       ///< writes under way at a time
};

/// Sends `extents` (in rising order, not overlapping, inside the offer's capacity: else CPPC_ERR_ARGUMENT) and waits
/// until the target has verified them. Their memory must not change before this returns. CPPC_ERR_REFUSED: the target
/// does not know the offer's token. CPPC_ERR_CHECKSUM: the target received something else. CPPC_ERR_FABRIC: the
/// transfer failed or the target died. When the target gives up, the status it gave up with.
tl::expected<Transferred, cppc_status> send(Endpoint endpoint, const Offer& offer, std::span<const Extent> extents,
                                            const Patience& patience, const Progress& progress = {},
                                            const Tuning& tuning = {});

}  // namespace cppc::fabric
