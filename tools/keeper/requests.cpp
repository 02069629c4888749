#include "requests.hpp"

#include "../access/random.hpp"
#include "cppc/agent_key.hpp"

namespace cppc::keeper {
namespace {

using nlohmann::json;
using tools::error;

// Empty: it is none.
std::string string_in(const json& object, const char* field) {
  return object.contains(field) && object[field].is_string() ? object[field].get<std::string>() : "";
}

}  // namespace

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
  const bool complete = object.contains("complete") && object["complete"] == true;
  return Label{object["set"], object["rank"], object["bytes"], object["xxh3"], complete};
}

json request_for(const char* what, const Label& label) {
  json object = to_json(label);
  object["what"] = what;
  return object;
}

Result<json> reply(Stream& stream) {
  auto object = stream.receive_line();
  if (object && object->contains("error") && (*object)["error"].is_string())
    return error((*object)["error"].get<std::string>());
  return object;
}

Result<Asked> ask(const Peers& peers, const std::string& addresses, json request) {
  auto stream = Stream::connect(addresses, peers.silence);
  if (!stream) return error(stream.error());
  const auto greeting = stream->receive_line();
  if (!greeting) return error(greeting.error());
  const std::string nonce = string_in(*greeting, "nonce");
  if (nonce.empty()) return error("it is no keeper");
  request["proof"] = keeper_proof(peers.key, nonce);
  if (const auto sent = stream->send_line(request); !sent) return error(sent.error());
  auto answer = reply(*stream);
  if (!answer) return error(answer.error());
  return Asked{*std::move(stream), *std::move(answer)};
}

Result<void> ask_for_image(const Peers& peers, const std::string& addresses, const Label& label,
                           const TakeBytes& take) {
  auto asked = ask(peers, addresses, request_for("fetch", label));
  if (!asked) return error(asked.error());
  if (asked->reply.value("bytes", json()) != label.bytes) return error("it has another image");
  std::vector<std::byte> memory(chunk_bytes);
  for (std::uint64_t offset = 0; offset < label.bytes; offset += chunk_bytes) {
    const auto bytes = std::span(memory).first(size_of_chunk(label.bytes, offset / chunk_bytes));
    if (auto got = asked->stream.receive(bytes); !got) return got;
    if (auto taken = take(offset, bytes); !taken) return taken;
  }
  return {};
}

std::optional<json> greet(Stream& stream, const Peers& peers) {
  const std::string nonce = tools::random_hex(16);
  if (!stream.send_line({{"nonce", nonce}})) return std::nullopt;
  auto asked = stream.receive_line();
  if (!asked || !same_secret(string_in(*asked, "proof"), keeper_proof(peers.key, nonce))) return std::nullopt;
  return *std::move(asked);
}

}  // namespace cppc::keeper
