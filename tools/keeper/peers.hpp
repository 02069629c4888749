/// Images on their way from one keeper to another. Of an image that the other one has an earlier version of, only the
/// chunks travel that have changed. What has arrived counts when all of it has the checksum that the rank has told.
///
/// Where to connect, cppc-run says. Images travel in clear, as they do when ranks move.
#pragma once

#include <functional>
#include <memory>

#include "images.hpp"
#include "requests.hpp"
#include "stream_server.hpp"

namespace cppc::keeper {

/// Brings the image to the keeper at `addresses`; so many bytes of it have travelled. `wanted` is asked often.
Result<std::uint64_t> push(const Peers& peers, const std::string& addresses, const Label& label, const Image& image,
                           const std::function<bool()>& wanted);

/// Gets it from there, into `memory`.
Result<Held> fetch(const Peers& peers, Reservations& memory, const std::string& addresses, const Label& label);

/// Lets other keepers do so here, and get differences and parities (difference.hpp). Each connection has a thread of
/// its own.
class PeerServer {
 public:
  static Result<std::unique_ptr<PeerServer>> start(Peers peers, Images& images);

  /// Where it is reached.
  const std::string& addresses() const { return streams_->addresses(); }

 private:
  PeerServer(Peers peers, Images& images) : peers_(std::move(peers)), images_(images) {}

  const Peers peers_;
  Images& images_;
  std::unique_ptr<StreamServer> streams_;
};

}  // namespace cppc::keeper
