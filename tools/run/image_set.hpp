/// A set of images in keepers' memory, as far as cppc-run knows it: what each image is, and which nodes have it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "manifest.hpp"
#include "parity_groups.hpp"

namespace cppc::run {

class KeeperLinks;

struct ImageSet {
  std::uint64_t number = 0;
  std::vector<checkpoint::RankImage> images;
  std::vector<std::set<std::string>> at;  ///< nodes, by rank
  std::vector<ParityGroup> groups;        ///< a rank may be in none, and in several
};

/// What the node had is lost.
void forget(ImageSet& set, const std::string& node);

/// As keepers are told: the rank's image by its checksum, and where it is among the nodes that have keepers.
nlohmann::json label_json(const ImageSet& set, std::size_t rank);
nlohmann::json located_json(const ImageSet& set, std::size_t rank, const KeeperLinks& links);

/// The request `locate` (tools/keeper/keeper.hpp).
nlohmann::json locate_request(const ImageSet& set, const KeeperLinks& links);

/// What a keeper on the node has listed of the set. Throws what the JSON library does when it is not understood.
void add_listed(ImageSet& set, const std::string& node, const nlohmann::json& listed);

}  // namespace cppc::run
