#include "difference.hpp"

#include <algorithm>

namespace cppc::keeper {
namespace {

using nlohmann::json;
using tools::error;

// With this checksum. An error: it is not there.
Result<Held> find(const Images& images, const Label& label) {
  Held image = images.find(label.set, label.rank);
  if (image != nullptr && image->bytes().size() == label.bytes && image->xxh3() == label.xxh3) return image;
  return error("it has no such image of rank " + std::to_string(label.rank) + " of set " + std::to_string(label.set));
}

Result<void> receive(const Peers& peers, const std::string& addresses, json request, std::uint64_t bytes,
                     const TakeChunk& take) {
  auto asked = ask(peers, addresses, std::move(request));
  if (!asked) return error(asked.error());
  if (asked->reply.value("bytes", json()) != bytes) return error("it has another one");
  return receive_chunks(asked->stream, bytes, take);
}

}  // namespace

Result<void> get_difference(const Peers& peers, const std::string& addresses, const Label& label,
                            const std::optional<Label>& since, const TakeChunk& take) {
  json request = to_json(label);
  request["what"] = "difference";
  if (since) request["since"] = to_json(*since);
  return receive(peers, addresses, std::move(request), std::max(label.bytes, since ? since->bytes : 0), take);
}

Result<void> get_parity(const Peers& peers, const std::string& addresses, std::uint64_t set, const ParityName& name,
                        std::uint64_t bytes, const TakeChunk& take) {
  json request = to_json(name);
  request["what"] = "parity";
  request["set"] = set;
  return receive(peers, addresses, std::move(request), bytes, take);
}

Result<void> give_difference(Stream& stream, const Label& label, const json& request, const Images& images) {
  const auto image = find(images, label);
  if (!image) return error(image.error());
  Held old;
  std::uint64_t bytes = label.bytes;
  if (request.contains("since")) {
    const auto since = label_in(request["since"]);
    if (!since) return error("it does not speak as a keeper does");
    auto earlier = find(images, *since);
    if (!earlier) return error(earlier.error());
    old = *std::move(earlier);
    bytes = std::max(bytes, since->bytes);
  }
  if (auto sent = stream.send_line({{"bytes", bytes}}); !sent) return sent;
  return send_difference(stream, old.get(), **image);
}

Result<void> give_parity(Stream& stream, const json& request, const Images& images) {
  const auto name = parity_name_in(request);
  if (!name || !request.contains("set") || !request["set"].is_number_unsigned())
    return error("it does not speak as a keeper does");
  const auto parity = images.find_parity(request["set"], *name);
  if (!parity) return error("it does not have " + text(*name));
  if (auto sent = stream.send_line({{"bytes", parity->bytes->bytes().size()}}); !sent) return sent;
  return send_difference(stream, nullptr, *parity->bytes);
}

}  // namespace cppc::keeper
