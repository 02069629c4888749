// Checkpoints in a directory that only this machine sees: images come there from the keepers, and go back to them.

#include <spdlog/spdlog.h>

#include <algorithm>

#include "cppc/checkpoint_files.hpp"
#include "gathering.hpp"
#include "image_server.hpp"
#include "keepers.hpp"

namespace cppc::run {

using nlohmann::json;
using tools::error;

// May take long. Others begin sets meanwhile: what has been written of this one stays until it is discarded.
Result<void> Keepers::gather(std::uint64_t set, const checkpoint::Manifest& manifest,
                             const std::vector<std::string>& nodes, const std::filesystem::path& directory) {
  ImageSet contents{set, manifest.images, {}, {}};
  for (const std::string& node : nodes) contents.at.push_back({node});
  return seal_images(links_, contents).and_then([&] { return gather_images(links_, contents, directory); });
}

bool Keepers::is_unseen(const std::filesystem::path& file) const {
  std::vector<AllocatedNode> nodes;
  {
    const std::lock_guard lock(mutex_);
    nodes = nodes_;
  }
  std::erase_if(nodes, [this](const AllocatedNode& node) { return links_.is_left_out(node.name); });
  return !seen_by_another(links_.settings().way_to, nodes, file).value_or(true);
}

void Keepers::use(const std::vector<AllocatedNode>& nodes) {
  const std::lock_guard lock(mutex_);
  links_.use_all_again();
  nodes_ = nodes;
}

Result<std::uint64_t> Keepers::offer(const checkpoint::Checkpoint& checkpoint) {
  const std::lock_guard lock(mutex_);
  if (server_ != nullptr) discard_locked(server_->set());
  const auto without = without_same(links_.settings().way_to, nodes_, checkpoint.directory / checkpoint::manifest_file);
  if (without.empty()) return 0;
  revive();
  for (const AllocatedNode& node : nodes_)
    if (links_.link(node.name) == nullptr) return error("there is no keeper on " + node.name);
  links_.begin_beats();
  ImageSet contents{++last_, checkpoint.manifest.images, {}, {}};
  contents.at.resize(contents.images.size());
  const keeper::Peers peers{links_.settings().key, links_.settings().silence};
  auto server = ImageServer::start(peers, contents.number, checkpoint);
  if (!server) return error(std::move(server).error());
  json request = locate_request(contents, links_);
  for (json& image : request["images"]) image["at"].push_back((*server)->addresses());
  if (!links_.ask_all(request)) return error("a keeper has ended");
  server_ = *std::move(server);
  spdlog::warn(
      "{} does not have {}: its images are sent to the nodes, and take as much of their memory until all ranks work",
      without.front(), checkpoint.directory.string());
  return contents.number;
}

}  // namespace cppc::run
