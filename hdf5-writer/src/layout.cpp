#include "layout.hpp"

#include <limits>

#include "failure.hpp"

namespace cppc::image {

namespace {

/// A name as one component of an HDF5 path: slashes separate there, and "." means the group itself.
std::string as_link(std::string_view name) {
  if (name == ".") {
    return "%2E";
  }
  std::string link;
  for (const char c : name) {
    if (c == '/') {
      link += "%2F";
    } else if (c == '%') {
      link += "%25";
    } else {
      link += c;
    }
  }
  return link;
}

std::string object_link(std::string_view path) {
  const auto slash = path.find('/');
  return "/objects/" + as_link(path.substr(0, slash)) + "/" + as_link(path.substr(slash + 1));
}

/// What is left of an object between its holes, unless they make no sense.
std::optional<std::vector<Run>> runs_between(const Object& object) {
  const std::uint64_t element_bytes = object.type->size;
  std::vector<Run> runs;
  std::uint64_t from = 0;
  for (const auto& [offset, bytes] : object.holes) {
    const bool sound = offset >= from && offset <= object.data.size() && bytes > 0 &&
                       bytes <= object.data.size() - offset && offset % element_bytes == 0 &&
                       bytes % element_bytes == 0;
    if (!sound) {
      return std::nullopt;
    }
    if (offset > from) {
      runs.push_back({from / element_bytes, (offset - from) / element_bytes});
    }
    from = offset + bytes;
  }
  if (from < object.data.size()) {
    runs.push_back({from / element_bytes, (object.data.size() - from) / element_bytes});
  }
  return runs;
}

}  // namespace

bool valid_path(std::string_view path) {
  const auto slash = path.find('/');
  return valid_name(path) && slash != std::string_view::npos && slash > 0 && slash + 1 < path.size();
}

std::string unique_name(std::string name, std::unordered_set<std::string>& taken) {
  if (name.empty()) {
    name = "unnamed";
  }
  std::string unique = name;
  for (std::uint64_t i = 2; !taken.insert(unique).second; ++i) {
    unique = name + "~" + std::to_string(i);
  }
  return unique;
}

void Layout::name_new_types() {
  while (type_links_.size() < types_.types().size()) {
    type_links_.push_back(unique_name(as_link(types_.types()[type_links_.size()]->name), taken_type_links_));
  }
  packed_.resize(type_links_.size());
}

tl::expected<void, cppc_status> Layout::add(const Object& object) {
  if (!valid_path(object.path)) {
    return failure(CPPC_ERR_ARGUMENT, "image: \"{}\" is no path of the form section/name of at most {} bytes",
                   object.path, name_limit);
  }
  const auto type = types_.intern(object.type);
  if (!type) {
    return tl::make_unexpected(type.error());
  }
  name_new_types();
  const std::uint64_t element_bytes = object.type->size;
  if (object.count > std::numeric_limits<std::uint64_t>::max() / element_bytes) {
    return failure(CPPC_ERR_ARGUMENT, "image: {}: {} elements of {} bytes are more than can be", object.path,
                   object.count, element_bytes);
  }
  const bool dead = object.data.empty() && object.count > 0;
  if (!dead && object.data.size() != object.count * element_bytes) {
    return failure(CPPC_ERR_ARGUMENT, "image: {}: {} bytes given, but {} elements of {} bytes", object.path,
                   object.data.size(), object.count, element_bytes);
  }
  const auto live = runs_between(object);
  if (!live) {
    return failure(CPPC_ERR_ARGUMENT, "image: {}: its holes are not whole elements in rising order", object.path);
  }
  ObjectRow row{};
  row.type = *type;
  row.count = object.count;
  row.dead = dead ? 1 : 0;
  row.address = object.address;
  const auto earlier = [this](std::size_t number) -> std::string_view { return objects_.name(number); };
  if (!paths_.insert(object.path, objects_.size(), earlier)) {
    return failure(CPPC_ERR_ARGUMENT, "image: {} is there twice", object.path);
  }
  store(object, *type, *live, row);
  objects_.add(object.path, row);
  return {};
}

std::uint64_t Layout::dataset_for(const Object& object, std::uint64_t type) {
  if (object.data.size() >= large_object_bytes || object.in_head) {
    datasets_.push_back({object_link(object.path), type, object.in_head, object.address, 0, {}});
    return datasets_.size() - 1;
  }
  if (!packed_[type]) {
    datasets_.push_back({"/packed/" + type_links_[type], type, false, 0, 0, {}});
    packed_[type] = datasets_.size() - 1;
  }
  return *packed_[type];
}

void Layout::store(const Object& object, std::uint64_t type, std::span<const Run> runs, ObjectRow& row) {
  state_bytes_ += object.data.size();
  if (runs.empty()) {
    return;
  }
  const std::uint64_t element_bytes = object.type->size;
  row.dataset = dataset_for(object, type);
  auto& dataset = datasets_[row.dataset];
  row.first = dataset.count;
  const bool whole = runs.front().count == object.count;
  if (!whole) {
    row.first_run = runs_.size();
    row.runs = runs.size();
  }
  for (const auto& run : runs) {
    if (!whole) {
      runs_.add({}, {run.first, run.count, dataset.count});
    }
    dataset.pieces.push_back(object.data.subspan(run.first * element_bytes, run.count * element_bytes));
    dataset.count += run.count;
  }
  row.stored = dataset.count - row.first;
}

}  // namespace cppc::image
