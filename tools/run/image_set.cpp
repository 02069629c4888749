#include "image_set.hpp"

#include <algorithm>

#include "keeper_links.hpp"

namespace cppc::run {
namespace {

using nlohmann::json;

json addresses_of(const std::set<std::string>& nodes, const KeeperLinks& links) {
  json all = json::array();
  for (const std::string& node : nodes)
    if (const auto link = links.link(node)) all.push_back(link->addresses());
  return all;
}

void add_image(ImageSet& set, const json& image) {
  const auto rank = image.at("rank").get<std::size_t>();
  if (rank >= set.images.size()) {
    set.images.resize(rank + 1);
    set.at.resize(rank + 1);
  }
  set.images[rank].bytes = image.at("bytes");
  set.images[rank].xxh3 = image.at("xxh3");
}

void add_parity(ImageSet& set, const std::string& node, const json& parity) {
  for (const json& member : parity.at("members")) add_image(set, member);
  const auto ranks = parity.at("ranks").get<std::vector<int>>();
  auto group = std::ranges::find(set.groups, ranks, &ParityGroup::ranks);
  if (group == set.groups.end()) group = set.groups.insert(group, {ranks, {}});
  group->parities.resize(parity.at("rows").get<std::size_t>());
  group->parities.at(parity.at("row").get<std::size_t>()) = node;
}

}  // namespace

void forget(ImageSet& set, const std::string& node) {
  for (auto& nodes : set.at) nodes.erase(node);
  for (ParityGroup& group : set.groups)
    for (std::string& its : group.parities)
      if (its == node) its.clear();
}

json label_json(const ImageSet& set, std::size_t rank) {
  return {{"rank", rank}, {"bytes", set.images[rank].bytes}, {"xxh3", set.images[rank].xxh3}};
}

json located_json(const ImageSet& set, std::size_t rank, const KeeperLinks& links) {
  json image = label_json(set, rank);
  image["at"] = addresses_of(set.at[rank], links);
  return image;
}

json locate_request(const ImageSet& set, const KeeperLinks& links) {
  json images = json::array(), groups = json::array();
  for (std::size_t rank = 0; rank < set.images.size(); ++rank) images.push_back(located_json(set, rank, links));
  for (const ParityGroup& group : set.groups) {
    json parities = json::array();
    for (std::size_t row = 0; row < group.parities.size(); ++row)
      parities.push_back({{"row", row}, {"at", addresses_of({group.parities[row]}, links)}});
    groups.push_back({{"ranks", group.ranks}, {"rows", group.parities.size()}, {"parities", std::move(parities)}});
  }
  return {{"do", "locate"}, {"set", set.number}, {"images", std::move(images)}, {"groups", std::move(groups)}};
}

void add_listed(ImageSet& set, const std::string& node, const json& listed) {
  const auto ranks = std::max(set.at.size(), listed.at("ranks").get<std::size_t>());
  set.images.resize(ranks);
  set.at.resize(ranks);
  for (const json& image : listed.at("images")) {
    add_image(set, image);
    set.at[image.at("rank").get<std::size_t>()].insert(node);
  }
  for (const json& parity : listed.at("parities")) add_parity(set, node, parity);
}

}  // namespace cppc::run
