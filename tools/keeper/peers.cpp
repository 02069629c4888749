#include "peers.hpp"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <cstring>
#include <thread>

#include "../access/random.hpp"
#include "cppc/agent_key.hpp"
#include "cppc/fault.hpp"
#include "stream.hpp"

namespace cppc::keeper {
namespace {

using nlohmann::json;
using tools::error;

constexpr std::uint64_t last = ~std::uint64_t{0};  // instead of a chunk's number: there are no more
constexpr int tries = 3;

// Before the bytes of a chunk.
struct ChunkHead {
  std::uint64_t index = last;
  std::uint64_t hash = 0;
};

json to_json(const Label& label) {
  return {{"set", label.set},
          {"rank", label.rank},
          {"bytes", label.bytes},
          {"xxh3", label.xxh3},
          {"complete", label.complete}};
}

std::optional<Label> label_in(const json& object) {
  for (const char* field : {"set", "rank", "bytes", "xxh3"})
    if (!object.contains(field) || !object[field].is_number_unsigned()) return std::nullopt;
  return Label{object["set"], object["rank"], object["bytes"], object["xxh3"], object.value("complete", false)};
}

// In reply to what the other side sends first.
Result<void> request(Stream& stream, const Peers& peers, const char* what, const Label& label) {
  const auto greeting = stream.receive_line();
  if (!greeting) return error(greeting.error());
  if (!greeting->contains("nonce") || !(*greeting)["nonce"].is_string()) return error("it is no keeper");
  json body = to_json(label);
  body["what"] = what;
  body["proof"] = keeper_proof(peers.key, (*greeting)["nonce"].get<std::string>());
  return stream.send_line(body);
}

Result<json> reply(Stream& stream) {
  auto object = stream.receive_line();
  if (object && object->contains("error") && (*object)["error"].is_string())
    return error((*object)["error"].get<std::string>());
  return object;
}

Result<std::uint64_t> send_changes(Stream& stream, const Image& image, const std::vector<std::uint64_t>& known,
                                   const std::function<bool()>& wanted) {
  std::uint64_t sent = 0;
  for (std::size_t i = 0; i < image.chunks().size(); ++i) {
    if (i < known.size() && known[i] == image.chunks()[i]) continue;
    if (!wanted()) return error("it is not wanted any more");
    if (auto faulty = fault::at("keeper-copy"); !faulty) return error(cppc_status_text(faulty.error()));
    const ChunkHead head{i, image.chunks()[i]};
    if (const auto done = stream.send_numbers(std::span(&head, 1)); !done) return error(done.error());
    if (const auto done = stream.send(image.chunk(i)); !done) return error(done.error());
    sent += image.chunk(i).size();
  }
  const ChunkHead end;
  if (const auto done = stream.send_numbers(std::span(&end, 1)); !done) return error(done.error());
  return sent;
}

Result<std::uint64_t> push_once(const Peers& peers, const std::string& addresses, const Label& label,
                                const Image& image, const std::function<bool()>& wanted) {
  auto stream = Stream::connect(addresses, peers.silence);
  if (!stream) return error(stream.error());
  if (const auto asked = request(*stream, peers, "push", label); !asked) return error(asked.error());
  const auto answer = reply(*stream);
  if (!answer) return error(answer.error());
  const std::uint64_t count = answer->value("chunks", last);
  if (count > image.chunks().size()) return error("it does not speak as a keeper does");
  std::vector<std::uint64_t> known(count);
  if (const auto got = stream->receive_numbers(known); !got) return error(got.error());
  const auto sent = send_changes(*stream, image, known, wanted);
  if (!sent) return sent;
  if (const auto done = reply(*stream); !done) return error(done.error());
  return sent;
}

Result<void> write_at(const UniqueFd& file, std::span<const std::byte> bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return error(std::string("no memory for an image: ") + std::strerror(errno));
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return {};
}

std::size_t size_of_chunk(std::uint64_t bytes, std::uint64_t index) {
  return std::min<std::uint64_t>(chunk_bytes, bytes - index * chunk_bytes);
}

// All that comes until the end; `arrived` says of which chunks it was.
Result<void> receive_chunks(Stream& stream, const UniqueFd& file, const Label& label, std::vector<bool>& arrived) {
  std::vector<std::byte> memory(chunk_bytes);
  for (ChunkHead head;;) {
    if (const auto got = stream.receive_numbers(std::span(&head, 1)); !got) return error(got.error());
    if (head.index == last) return {};
    if (head.index >= arrived.size()) return error("a chunk is none of the image");
    const auto bytes = std::span(memory).first(size_of_chunk(label.bytes, head.index));
    if (const auto got = stream.receive(bytes); !got) return error(got.error());
    if (auto faulty = fault::at("keeper-receive"); !faulty) return error(cppc_status_text(faulty.error()));
    if (hash_of(bytes) != head.hash) return error("a chunk has been damaged on its way");
    if (const auto kept = write_at(file, bytes, head.index * chunk_bytes); !kept) return error(kept.error());
    arrived[head.index] = true;
  }
}

Result<void> fill_from(const Image& base, const UniqueFd& file, const std::vector<bool>& arrived) {
  for (std::size_t i = 0; i < std::min(arrived.size(), base.chunks().size()); ++i)
    if (!arrived[i])
      if (const auto kept = write_at(file, base.chunk(i), i * chunk_bytes); !kept) return error(kept.error());
  return {};
}

// What it has of the rank. A chunk that is shorter there than in the new image is another one.
std::vector<std::uint64_t> chunks_of(const Held& base, const Label& label) {
  if (base == nullptr) return {};
  std::vector<std::uint64_t> chunks = base->chunks();
  chunks.resize(std::min(chunks.size(), chunk_count(label.bytes)));
  if (!chunks.empty() && base->chunk(chunks.size() - 1).size() != size_of_chunk(label.bytes, chunks.size() - 1))
    chunks.pop_back();
  return chunks;
}

Result<void> take_push(Stream& stream, const Label& label, Images& images) {
  if (const auto room = images.has_room(label.bytes); !room) return room;
  auto file = Image::file();
  if (!file) return error(file.error());
  const Held base = images.newest_of(label.rank);
  const auto known = chunks_of(base, label);
  if (const auto sent = stream.send_line({{"chunks", known.size()}}); !sent) return sent;
  if (const auto sent = stream.send_numbers(known); !sent) return sent;
  std::vector<bool> arrived(chunk_count(label.bytes));
  if (const auto got = receive_chunks(stream, *file, label, arrived); !got) return got;
  if (base != nullptr)
    if (const auto filled = fill_from(*base, *file, arrived); !filled) return filled;
  auto image = Image::take(*std::move(file), label.bytes, label.xxh3);
  if (!image) return error("the image of rank " + std::to_string(label.rank) + " has not arrived: " + image.error());
  if (const auto added = images.add(label.set, label.rank, *std::move(image), label.complete); !added) return added;
  return stream.send_line({{"done", true}});
}

Result<void> give(Stream& stream, const Label& label, const Images& images) {
  const Held image = images.find(label.set, label.rank);
  if (image == nullptr) return error("the image of rank " + std::to_string(label.rank) + " is not there");
  if (const auto sent = stream.send_line({{"bytes", image->bytes().size()}}); !sent) return sent;
  return stream.send(image->bytes());
}

void serve(Stream stream, const Peers& peers, Images& images) {
  const std::string nonce = tools::random_hex(16);
  if (!stream.send_line({{"nonce", nonce}})) return;
  const auto asked = stream.receive_line();
  const auto label = asked ? label_in(*asked) : std::nullopt;
  if (!label || !same_secret(asked->value("proof", ""), keeper_proof(peers.key, nonce))) {
    spdlog::warn("a connection that was no keeper's has been closed");
    return;
  }
  const auto done =
      asked->value("what", "") == "push" ? take_push(stream, *label, images) : give(stream, *label, images);
  if (!done) (void)stream.send_line({{"error", done.error()}});  // or the connection is lost
}

}  // namespace

Result<std::uint64_t> push(const Peers& peers, const std::string& addresses, const Label& label, const Image& image,
                           const std::function<bool()>& wanted) {
  auto sent = push_once(peers, addresses, label, image, wanted);
  for (int i = 1; i < tries && !sent && wanted(); ++i) sent = push_once(peers, addresses, label, image, wanted);
  return sent;
}

Result<Held> fetch(const Peers& peers, const std::string& addresses, const Label& label) {
  auto stream = Stream::connect(addresses, peers.silence);
  if (!stream) return error(stream.error());
  if (const auto asked = request(*stream, peers, "fetch", label); !asked) return error(asked.error());
  const auto answer = reply(*stream);
  if (!answer) return error(answer.error());
  if (answer->value("bytes", std::uint64_t{0}) != label.bytes) return error("it has another image");
  auto file = Image::file();
  if (!file) return error(file.error());
  std::vector<std::byte> memory(chunk_bytes);
  for (std::uint64_t offset = 0; offset < label.bytes; offset += chunk_bytes) {
    const auto bytes = std::span(memory).first(size_of_chunk(label.bytes, offset / chunk_bytes));
    if (const auto got = stream->receive(bytes); !got) return error(got.error());
    if (const auto kept = write_at(*file, bytes, offset); !kept) return error(kept.error());
  }
  return Image::take(*std::move(file), label.bytes, label.xxh3);
}

Result<std::unique_ptr<PeerServer>> PeerServer::start(Peers peers, Images& images) {
  std::unique_ptr<PeerServer> server(new PeerServer(std::move(peers), images));
  auto io = tools::IoThread::create();
  if (!io) return error(std::move(io).error());
  server->io_ = *std::move(io);
  auto listener = tools::listen_on_tcp(server->io_->context(), tools::Reach::network);
  if (!listener) return error(std::move(listener).error());
  server->addresses_ = tools::reachable_at(listener->port, tools::Reach::network);
  server->door_ =
      std::make_unique<tools::Acceptor>(std::move(listener->socket), "keepers'",
                                        [raw = server.get()](tools::Socket socket) { raw->accept(std::move(socket)); });
  server->io_->start();
  return server;
}

PeerServer::~PeerServer() { io_->stop(); }

// The process ends while threads may wait for other keepers: nobody joins them.
void PeerServer::accept(tools::Socket socket) {
  boost::system::error_code failure;
  UniqueFd descriptor(socket.release(failure));
  if (failure) return;
  std::thread([this, stream = Stream(std::move(descriptor), peers_.silence)]() mutable {
    serve(std::move(stream), peers_, images_);
  }).detach();
}

}  // namespace cppc::keeper
