#include "manifest.hpp"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "cppc/checkpoint_files.hpp"

namespace cppc::checkpoint {
namespace {

using nlohmann::json;
using tools::error;

constexpr int version = 2;

std::optional<std::string> text_in(const json& object, const char* field) {
  const auto found = object.find(field);
  if (found == object.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

std::optional<std::uint64_t> hash_in(const json& object, const char* field) {
  const auto digits = text_in(object, field);
  std::uint64_t hash = 0;
  if (!digits || digits->size() != 16) return std::nullopt;
  const auto [end, failure] = std::from_chars(digits->data(), digits->data() + digits->size(), hash, 16);
  if (failure != std::errc{} || end != digits->data() + digits->size()) return std::nullopt;
  return hash;
}

Result<RankImage> parse_image(const json& object, std::size_t rank) {
  const std::string whose = "the entry of rank " + std::to_string(rank);
  if (!object.is_object() || text_in(object, "file") != image_file(static_cast<int>(rank)))
    return error(whose + " does not name " + image_file(static_cast<int>(rank)));
  const auto bytes = object.find("bytes");
  const auto hash = hash_in(object, "xxh3");
  const auto program = text_in(object, "program");
  if (bytes == object.end() || !bytes->is_number_unsigned()) return error(whose + " has no number of bytes");
  if (!hash) return error(whose + " has no checksum");
  const auto head = object.contains("head") ? hash_in(object, "head") : 0;
  if (!head) return error(whose + " has no checksum of its head");
  if (!program) return error(whose + " does not say which program it is of");
  return RankImage{bytes->get<std::uint64_t>(), *hash, *program, *head};
}

}  // namespace

std::string text(const Manifest& manifest) {
  json images = json::array();
  for (std::size_t rank = 0; rank < manifest.images.size(); ++rank) {
    const RankImage& image = manifest.images[rank];
    images.push_back({{"file", image_file(static_cast<int>(rank))},
                      {"bytes", image.bytes},
                      {"xxh3", fmt::format("{:016x}", image.xxh3)},
                      {"head", fmt::format("{:016x}", image.head)},
                      {"program", image.program}});
  }
  const json body{{"version", version},         {"job", manifest.job},   {"program", manifest.program},
                  {"host", manifest.host},      {"time", manifest.time}, {"ranks", manifest.images.size()},
                  {"images", std::move(images)}};
  return body.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<Manifest> parse_manifest(const std::string& text) {
  const json body = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!body.is_object()) return error("it is not a JSON object");
  if (!body.contains("version") || body["version"] != version)
    return error("it is not of version " + std::to_string(version));
  Manifest manifest;
  for (const auto& [name, field] : {std::pair{"job", &manifest.job},
                                    {"program", &manifest.program},
                                    {"host", &manifest.host},
                                    {"time", &manifest.time}}) {
    auto value = text_in(body, name);
    if (!value) return error(std::string("it has no \"") + name + "\"");
    *field = *std::move(value);
  }
  const auto images = body.find("images");
  if (images == body.end() || !images->is_array() || images->empty()) return error("it lists no images");
  if (!body.contains("ranks") || body["ranks"] != images->size())
    return error("it does not list as many images as there are ranks");
  for (const json& one : *images) {
    auto image = parse_image(one, manifest.images.size());
    if (!image) return error(std::move(image).error());
    manifest.images.push_back(*std::move(image));
  }
  return manifest;
}

}  // namespace cppc::checkpoint
