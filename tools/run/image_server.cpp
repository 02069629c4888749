#include "image_server.hpp"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <span>
#include <thread>
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
  auto io = tools::IoThread::create();
  if (!io) return error(std::move(io).error());
  server->io_ = *std::move(io);
  auto listener = tools::listen_on_tcp(server->io_->context(), tools::Reach::network);
  if (!listener) return error(std::move(listener).error());
  server->addresses_ = tools::reachable_at(listener->port, tools::Reach::network);
  server->acceptor_ =
      std::make_unique<tools::Acceptor>(std::move(listener->socket), "keepers'",
                                        [raw = server.get()](tools::Socket socket) { raw->accept(std::move(socket)); });
  server->io_->start();
  return server;
}

void ImageServer::accept(tools::Socket socket) {
  boost::system::error_code failure;
  UniqueFd descriptor(socket.release(failure));
  if (failure) return;
  {
    const std::lock_guard lock(mutex_);
    sockets_.insert(descriptor.get());
  }
  std::thread([this, one = std::move(descriptor)]() mutable { serve(std::move(one)); }).detach();
}

void ImageServer::serve(UniqueFd socket) {
  const int number = socket.get();
  UniqueFd same(fcntl(number, F_DUPFD_CLOEXEC, 0));
  if (same) answer(keeper::Stream(std::move(same), offer_.peers.silence), offer_);
  const std::lock_guard lock(mutex_);
  sockets_.erase(number);
  socket.reset();
  served_.notify_all();
}

ImageServer::~ImageServer() {
  if (io_) io_->stop();
  std::unique_lock lock(mutex_);
  for (const int socket : sockets_) shutdown(socket, SHUT_RDWR);
  served_.wait(lock, [this] { return sockets_.empty(); });
}

}  // namespace cppc::run
