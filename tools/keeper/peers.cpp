#include "peers.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "chunks.hpp"
#include "cppc/fault.hpp"
#include "difference.hpp"

namespace cppc::keeper {
namespace {

using nlohmann::json;
using tools::error;

constexpr int tries = 3;

Result<std::uint64_t> send_changes(Stream& stream, const Image& image, const std::vector<std::uint64_t>& known,
                                   const std::function<bool()>& wanted) {
  std::uint64_t sent = 0;
  for (std::size_t i = 0; i < image.chunks().size(); ++i) {
    if (i < known.size() && known[i] == image.chunks()[i]) continue;
    if (!wanted()) return error("it is not wanted any more");
    if (auto faulty = fault::at("keeper-copy"); !faulty) return error(cppc_status_text(faulty.error()));
    if (const auto done = send_chunk(stream, i, image.chunks()[i], image.chunk(i)); !done) return error(done.error());
    sent += image.chunk(i).size();
  }
  if (const auto done = send_end(stream); !done) return error(done.error());
  return sent;
}

Result<std::uint64_t> push_once(const Peers& peers, const std::string& addresses, const Label& label,
                                const Image& image, const std::function<bool()>& wanted) {
  auto asked = ask(peers, addresses, request_for("push", label));
  if (!asked) return error(asked.error());
  const json count = asked->reply.value("chunks", json());
  if (!count.is_number_unsigned() || count > image.chunks().size()) return error("it does not speak as a keeper does");
  std::vector<std::uint64_t> known(count.get<std::size_t>());
  if (const auto got = asked->stream.receive_numbers(known); !got) return error(got.error());
  const auto sent = send_changes(asked->stream, image, known, wanted);
  if (!sent) return sent;
  if (const auto done = reply(asked->stream); !done) return error(done.error());
  return sent;
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
  auto reserved = images.reservations().make(label.bytes);
  if (!reserved) return error(reserved.error());
  UniqueFd& file = reserved->file;
  const Held base = images.newest_of(label.rank);
  const auto known = chunks_of(base, label);
  if (const auto sent = stream.send_line({{"chunks", known.size()}}); !sent) return sent;
  if (const auto sent = stream.send_numbers(known); !sent) return sent;
  std::vector<bool> arrived(chunk_count(label.bytes));
  const auto keep = [&](std::uint64_t index, std::span<const std::byte> bytes) -> Result<void> {
    if (auto faulty = fault::at("keeper-receive"); !faulty) return error(cppc_status_text(faulty.error()));
    arrived[index] = true;
    return write_at(file, bytes, index * chunk_bytes);
  };
  if (const auto got = receive_chunks(stream, label.bytes, keep); !got) return got;
  if (base != nullptr)
    if (const auto filled = fill_from(*base, file, arrived); !filled) return filled;
  auto image = Image::take(std::move(file), label.bytes, label.xxh3);
  if (!image) return error("the image of rank " + std::to_string(label.rank) + " has not arrived: " + image.error());
  if (const auto added = images.add(label.set, label.rank, *std::move(image), label.complete); !added) return added;
  return stream.send_line({{"done", true}});
}

Result<void> give(Stream& stream, const Label& label, const Images& images) {
  const Held image = images.find(label.set, label.rank);
  if (image == nullptr) return error("the image of rank " + std::to_string(label.rank) + " is not there");
  if (auto faulty = fault::at("keeper-give"); !faulty) return error(cppc_status_text(faulty.error()));
  if (const auto sent = stream.send_line({{"bytes", image->bytes().size()}}); !sent) return sent;
  return stream.send(image->bytes());
}

Result<void> answer(Stream& stream, const json& asked, Images& images) {
  const json what = asked.value("what", json());
  if (what == "parity") return give_parity(stream, asked, images);
  const auto label = label_in(asked);
  if (!label) return error("it does not speak as a keeper does");
  if (what == "push") return take_push(stream, *label, images);
  return what == "difference" ? give_difference(stream, *label, asked, images) : give(stream, *label, images);
}

void serve(Stream stream, const Peers& peers, Images& images) {
  const auto asked = greet(stream, peers);
  if (!asked) {
    spdlog::warn("a connection that was no keeper's has been closed");
    return;
  }
  const auto done = answer(stream, *asked, images);
  if (!done) (void)stream.send_line({{"error", done.error()}});  // or the connection is lost
}

}  // namespace

Result<std::uint64_t> push(const Peers& peers, const std::string& addresses, const Label& label, const Image& image,
                           const std::function<bool()>& wanted) {
  auto sent = push_once(peers, addresses, label, image, wanted);
  for (int i = 1; i < tries && !sent && wanted(); ++i) sent = push_once(peers, addresses, label, image, wanted);
  return sent;
}

Result<Held> fetch(const Peers& peers, Reservations& memory, const std::string& addresses, const Label& label) {
  auto reserved = memory.make(label.bytes);
  if (!reserved) return error(reserved.error());
  const auto keep = [&](std::uint64_t offset, std::span<const std::byte> bytes) {
    return write_at(reserved->file, bytes, offset);
  };
  if (const auto got = ask_for_image(peers, addresses, label, keep); !got) return error(got.error());
  return Image::take(std::move(reserved->file), label.bytes, label.xxh3);
}

// The process ends while threads may wait for other keepers: nobody joins them.
Result<std::unique_ptr<PeerServer>> PeerServer::start(Peers peers, Images& images) {
  std::unique_ptr<PeerServer> server(new PeerServer(std::move(peers), images));
  auto streams = StreamServer::start(server->peers_.silence, [&peers = server->peers_, &images](Stream stream) {
    serve(std::move(stream), peers, images);
  });
  if (!streams) return error(std::move(streams).error());
  server->streams_ = *std::move(streams);
  return server;
}

}  // namespace cppc::keeper
