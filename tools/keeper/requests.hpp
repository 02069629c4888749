/// How one keeper asks another: who connects is greeted with a nonce, and says what it wants with the proof that it is
/// of the job (keeper_proof()).
#pragma once

#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "parity.hpp"
#include "stream.hpp"

namespace cppc::keeper {

struct Peers {
  std::string key;               ///< the job's
  std::chrono::seconds silence;  ///< after which another keeper is lost
};

nlohmann::json to_json(const Label& label);
/// Of anything.
std::optional<Label> label_in(const nlohmann::json& object);

/// What is wanted, of the image with this label.
nlohmann::json request_for(const char* what, const Label& label);

struct Asked {
  Stream stream;
  nlohmann::json reply;
};
/// Connects to the keeper at `addresses`, and has its reply to the request, a JSON object; an error when that is one.
Result<Asked> ask(const Peers& peers, const std::string& addresses, nlohmann::json request);

/// Gets an image from the keeper at `addresses`, in order and at most `chunk_bytes` at a time. Whether it is the one of
/// the checksum has to be seen.
using TakeBytes = std::function<Result<void>(std::uint64_t offset, std::span<const std::byte> bytes)>;
Result<void> ask_for_image(const Peers& peers, const std::string& addresses, const Label& label, const TakeBytes& take);

/// What the other side says of what it has been sent, as the last word.
Result<nlohmann::json> reply(Stream& stream);

/// The other side of ask(): what is wanted. None: who has connected is no keeper of the job.
std::optional<nlohmann::json> greet(Stream& stream, const Peers& peers);

}  // namespace cppc::keeper
