/// A talk between the two ends of a transfer: control messages, signs of life, waiting with an end.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "fabric/control.hpp"
#include "fabric/endpoint.hpp"

namespace cppc::fabric {

class Session {
 public:
  /// `peer` is what messages call the other end. All arguments must outlive the session.
  Session(Endpoint::Impl& endpoint, const TransferLimits& limits, const Token& token, std::string_view peer);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  /// Closes the endpoint: after this the provider touches no operation and no memory of anybody.
  ~Session();

  tl::expected<void, cppc_status> start();

  /// From here on messages go to `peer`.
  void address(fi_addr_t peer) { peer_ = peer; }
  [[nodiscard]] fi_addr_t peer() const { return peer_; }

  /// Both ends know each other: from here on the peer must give signs of life.
  void established();

  /// Sent in a later turn.
  void send(Control message);
  [[nodiscard]] std::size_t unsent() const;

  /// Answers a hello that is not the one waited for.
  void refuse(const Control& hello);

  /// The next message of the peer, if one has come.
  std::optional<Control> next_message();

  /// One round of waiting: sends, polls, and rests when nothing happens. An error when a limit is exceeded or the
  /// peer is gone; `purpose` says in the log what was waited for. Operations of others on the endpoint progress too.
  tl::expected<void, cppc_status> poll(std::string_view purpose);

  /// The same without rest, for long work between turns; nothing when the last round was a moment ago. After an error
  /// always that error.
  tl::expected<void, cppc_status> keep_alive(std::string_view purpose);

  /// An operation that moves the image has failed.
  cppc_status report(const Operation& operation, std::string_view what);

  /// Lets the provider work until nothing that moves the image is under way: `idle`. To be called by the source before
  /// close() and acknowledge_close(), so that nothing is when the target closes its endpoint: the target's provider may
  /// be fetching the data of a message by itself (tcp;ofi_rxm), and that of libfabric 1.17 crashes when it is closed
  /// then. This and close() or acknowledge_close() together take two seconds at most.
  void drain(const std::function<bool()>& idle);

  /// Tells the peer how it ended and waits until it knows. Leaving before could take the news from it: what has not
  /// been read yet is lost when an endpoint is closed.
  void close(cppc_status status);

  /// The answer to the peer's close().
  void acknowledge_close();

  /// For tests of faults: from here on the peer hears nothing any more. CPPC_ERR_FABRIC, logged.
  tl::expected<void, cppc_status> cut();

 private:
  using Clock = std::chrono::steady_clock;
  struct Outgoing {
    fi_addr_t to = FI_ADDR_UNSPEC;
    Control message;
  };
  struct Slot {
    Operation operation;
    std::size_t buffer = 0;
  };
  struct SendQueue {
    std::deque<Outgoing> waiting;
    std::vector<Slot> slots;
  };

  tl::expected<void, cppc_status> round(Clock::time_point now, std::string_view purpose);
  tl::expected<void, cppc_status> exchange();
  tl::expected<void, cppc_status> take_incoming();
  tl::expected<void, cppc_status> settle();
  tl::expected<void, cppc_status> post(SendQueue& box);
  tl::expected<void, cppc_status> check_limits(Clock::time_point now, std::string_view purpose);
  void exchange_until(const std::function<bool()>& done);
  tl::expected<void, cppc_status> receive(const Control& message);
  void rest(Clock::time_point poll_began) const;
  [[nodiscard]] std::string peer_text() const;
  [[nodiscard]] Clock::duration beat() const { return limits_.silence / 10; }
  std::span<std::byte> buffer_of(const Slot& slot);

  Endpoint::Impl& endpoint_;
  const TransferLimits& limits_;
  const Token token_;
  const std::string_view peer_name_;

  std::vector<Control> buffers_;
  Region region_;
  std::vector<Slot> incoming_;
  SendQueue to_peer_;
  SendQueue to_others_;  // apart, so that one who does not listen holds up nobody else
  std::deque<Control> received_;

  fi_addr_t peer_ = FI_ADDR_UNSPEC;
  bool established_ = false;
  bool closed_ = false;          // the peer knows the end
  bool lost_ = false;            // the peer does not answer any more
  cppc_status ended_ = CPPC_OK;  // what keep_alive() has ended with
  std::optional<Clock::time_point> leaving_by_;
  Clock::time_point last_poll_;
  Clock::time_point last_event_;
  Clock::time_point last_received_;
  Clock::time_point last_sent_;
};

}  // namespace cppc::fabric
