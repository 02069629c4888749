/// Gives keepers the images of a checkpoint that only this machine sees, as another keeper would give them
/// (tools/keeper/peers.hpp).
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "../keeper/requests.hpp"
#include "acceptor.hpp"
#include "io_thread.hpp"
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
  const std::string& addresses() const { return addresses_; }

  struct Offer {
    keeper::Peers peers;
    std::uint64_t set = 0;
    checkpoint::Checkpoint checkpoint;
  };

 private:
  explicit ImageServer(Offer offer) : offer_(std::move(offer)) {}
  void accept(tools::Socket socket);
  void serve(UniqueFd socket);

  const Offer offer_;
  std::string addresses_;
  std::mutex mutex_;
  std::condition_variable served_;
  std::set<int> sockets_;  // of connections
  std::unique_ptr<tools::IoThread> io_;
  std::unique_ptr<tools::Acceptor> acceptor_;
};

}  // namespace cppc::run
