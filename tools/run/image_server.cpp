#include "image_server.hpp"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "cppc/checkpoint_files.hpp"

namespace cppc::run {
namespace {

using nlohmann::json;
using tools::error;

// What keepers compare is what the manifest says: a file that has changed is not taken for the image.
Result<UniqueFd> open_image(const ImageServer::Offer& offer, const json& asked) {
  const auto label = keeper::label_in(asked);
  if (!label || asked.value("what", json()) != "fetch" || label->set != offer.set || label->rank < 0 ||
      static_cast<std::size_t>(label->rank) >= offer.checkpoint.manifest.images.size())
    return error("cppc-run does not have it");
  const auto path = offer.checkpoint.directory / checkpoint::image_file(label->rank);
  UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat state {};
  if (!file || fstat(file.get(), &state) != 0)
    return error("cannot read " + path.string() + ": " + std::strerror(errno));
  if (static_cast<std::uint64_t>(state.st_size) != label->bytes)
    return error(path.string() + " has another size than the manifest says");
  return file;
}

Result<void> give(keeper::Stream& stream, const UniqueFd& file) {
  std::vector<std::byte> memory(keeper::chunk_bytes);
  while (true) {
    const ssize_t got = read(file.get(), memory.data(), memory.size());
    if (got == 0) return {};
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return error(std::string("an image cannot be read: ") + std::strerror(errno));
    if (auto sent = stream.send(std::span(memory).first(static_cast<std::size_t>(got))); !sent) return sent;
  }
}

void answer(keeper::Stream stream, const ImageServer::Offer& offer) {
  const auto asked = keeper::greet(stream, offer.peers);
  if (!asked) return spdlog::warn("a connection that was no keeper's has been closed");
  const auto file = open_image(offer, *asked);
  if (!file) return (void)stream.send_line({{"error", file.error()}});  // or the connection is lost
  const auto given = stream.send_line({{"bytes", (*asked)["bytes"]}}).and_then([&] { return give(stream, *file); });
  if (!given) spdlog::warn("{}: an image cannot be sent: {}", offer.checkpoint.directory.string(), given.error());
}

}  // namespace

Result<std::unique_ptr<ImageServer>> ImageServer::start(keeper::Peers peers, std::uint64_t set,
                                                        checkpoint::Checkpoint checkpoint) {
  std::unique_ptr<ImageServer> server(new ImageServer(Offer{std::move(peers), set, std::move(checkpoint)}));
  const auto serve = [&offer = server->offer_](keeper::Stream stream) { answer(std::move(stream), offer); };
  auto streams = keeper::StreamServer::start(server->offer_.peers.silence, serve);
  if (!streams) return error(std::move(streams).error());
  server->streams_ = *std::move(streams);
  return server;
}

ImageServer::~ImageServer() {
  if (streams_ != nullptr) streams_->cut();
}

}  // namespace cppc::run
