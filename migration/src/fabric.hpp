/// The fabric: moves a rank's image from the leaving process to its replacement over libfabric, in place and checked.
///
/// In the order of use:
///   target: Endpoint::open -> Receiver::prepare -> offer().encode(), by the job's own channel, to the source ->
///   receive source: Offer::decode -> Endpoint::open_towards -> send
///
/// The source sends the head of an image first; from it the target learns what there is and says where each part of the
/// contents belongs. Then the source writes by RMA straight from program memory to where it belongs; where a provider
/// has no RMA, by tagged messages. Small pieces are copied together on the way, blocks that are zero do not travel. The
/// target compares an XXH3-64 of every chunk; one that differs is sent again, up to three times. Only a peer that shows
/// the offer's one-time token is listened to.
///
/// Threads: an endpoint and what uses it belong to one thread at a time; different endpoints are independent, of each
/// other and of MPI. No threads are started, no signal handlers set, nothing is written to standard output.
/// Nothing throws and nothing waits for ever: errors are a cppc_status, logged by name where first met. After an error
/// of receive or send the endpoint is closed, and the fabric no longer touches the memory it was given.
///
/// Settings: CPPC_FABRIC names the provider (tcp, net, shm, verbs, or in full as "tcp;ofi_rxm"); CPPC_FABRIC_CHUNK,
/// CPPC_FABRIC_DEPTH and CPPC_COMPRESS: see Tuning; FI_LOG_LEVEL makes libfabric talk on standard error.
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
using image::KeepAlive;

using Token = std::array<std::byte, 16>;

/// What the source needs to reach the target. A secret between the two: it holds the token.
struct Offer {
  std::string provider;              ///< in libfabric's spelling
  std::uint32_t address_format = 0;  ///< FI_SOCKADDR_IN, ...
  std::vector<std::byte> address;    ///< of the target's endpoint
  std::uint64_t node = 0;            ///< where processes share memory, they have the same
  bool rma = false;                  ///< the source may write by itself
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

/// What ends a transfer. Up to two seconds are added in which a live peer is notified.
struct TransferLimits {
  std::chrono::steady_clock::time_point deadline;  ///< passed: CPPC_ERR_TIMEOUT
  std::function<bool()> cancelled;                 ///< if given, asked between polls; true: CPPC_ERR_CANCELLED
  /// Once they have met, both peers give a sign of life ten times in this span, whatever else happens; a peer silent
  /// for all of it is taken for dead (CPPC_ERR_FABRIC). All chunks in flight must fit through the network in less.
  std::chrono::milliseconds silence{10'000};
};

struct Transferred {
  std::uint64_t bytes = 0;  ///< head and contents
  std::uint64_t sent = 0;   ///< of chunks, as they travelled
  std::uint64_t again = 0;  ///< chunks that were sent again
};

/// Called from within receive and send: what is verified (target) or was delivered (source) so far, and the bytes of
/// head and contents that are known of.
using Progress = std::function<void(const Transferred& so_far, std::uint64_t total)>;

/// Where the contents of the file from `offset` on belong.
struct Place {
  std::uint64_t offset = 0;
  std::span<std::byte> memory;
};

/// Called in the target once the head is there: says where all contents belong, in rising order. An error ends the
/// transfer. The head's memory is there until receive() returns. Meanwhile the source waits: `keep_alive` gives it
/// signs of life, so it is to be called many times in TransferLimits::silence. It costs a look at the clock.
using Unpack = std::function<tl::expected<std::vector<Place>, cppc_status>(std::span<const Extent> head,
                                                                           const KeepAlive& keep_alive)>;

class Receiver {
 public:
  /// Makes an offer for one transfer.
  static tl::expected<Receiver, cppc_status> prepare(Endpoint endpoint);

  Receiver(Receiver&&) noexcept;
  Receiver& operator=(Receiver&&) noexcept;
  ~Receiver();

  [[nodiscard]] const Offer& offer() const;

  /// Waits for the source and for everything it sends; once per receiver (then CPPC_ERR_STATE). Success: all has
  /// arrived in its place and is verified, and the source has been told. CPPC_ERR_CHECKSUM: a chunk differs from what
  /// was sent each time. CPPC_ERR_FABRIC: the transfer failed or the source died. When the source gives up, the status
  /// it gave up with. Most providers move nothing while this is not called. After an error places may be overwritten in
  /// part.
  tl::expected<Transferred, cppc_status> receive(const Unpack& unpack, const TransferLimits& limits,
                                                 const Progress& progress = {});

  struct Impl;

 private:
  explicit Receiver(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// What to send: extents of a file, those of head and contents each in rising order and not overlapping (else
/// CPPC_ERR_ARGUMENT). Their memory must not change until send returns.
struct Cargo {
  std::span<const Extent> head;
  std::span<const Extent> contents;
};

/// Of what travels. Automatic: when the wire is slow enough, as measured, to gain by it.
enum class Compression { automatic, on, off };

struct Tuning {
  std::size_t chunk_bytes = std::size_t{256} << 10;  ///< bytes in one write
  std::size_t in_flight = 8;                         ///< writes under way at a time
  Compression compression = Compression::automatic;

  /// As CPPC_FABRIC_CHUNK (in KiB), CPPC_FABRIC_DEPTH and CPPC_COMPRESS (auto, on, off) say; what makes no sense is
  /// said and not used.
  static Tuning from_environment();
};

/// Sends and waits until the target has verified all. CPPC_ERR_REFUSED: the target does not know the offer's token.
/// CPPC_ERR_CHECKSUM: the target received something else. CPPC_ERR_FABRIC: the transfer failed or the target died. When
/// the target gives up, the status it gave up with.
tl::expected<Transferred, cppc_status> send(Endpoint endpoint, const Offer& offer, const Cargo& cargo,
                                            const TransferLimits& limits, const Progress& progress = {},
                                            const Tuning& tuning = Tuning::from_environment());

}  // namespace cppc::fabric
