/// Gives keepers the images of a checkpoint that only this machine sees, as another keeper would give them
/// (tools/keeper/peers.hpp).
#pragma once

#include <memory>
#include <string>

#include "../keeper/requests.hpp"
#include "../keeper/stream_server.hpp"
#include "store.hpp"

namespace cppc::run {

using tools::Result;

class ImageServer {
 public:
  /// As those of the set with this number. Each connection has a thread of its own.
  static Result<std::unique_ptr<ImageServer>> start(keeper::Peers peers, std::uint64_t set,
                                                    checkpoint::Checkpoint checkpoint);
  ~ImageServer();  ///< connections are cut
  ImageServer(const ImageServer&) = delete;
  ImageServer& operator=(const ImageServer&) = delete;

  std::uint64_t set() const { return offer_.set; }
  /// Where keepers reach it.
  const std::string& addresses() const { return streams_->addresses(); }

  struct Offer {
    keeper::Peers peers;
    std::uint64_t set = 0;
    checkpoint::Checkpoint checkpoint;
  };

 private:
  explicit ImageServer(Offer offer) : offer_(std::move(offer)) {}

  const Offer offer_;
  std::unique_ptr<keeper::StreamServer> streams_;
};

}  // namespace cppc::run
