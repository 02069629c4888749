#include "types.hpp"

#include <algorithm>
#include <utility>

#include "failure.hpp"

namespace cppc::image {

namespace {

bool members_overlap(const Type& type) {
  std::vector<std::pair<std::size_t, std::size_t>> ranges;  // where members begin and end
  for (const auto& member : type.members) {
    if (member.count > 0) {
      ranges.emplace_back(member.offset, member.offset + member.count * member.type->size);
    }
  }
  std::sort(ranges.begin(), ranges.end());
  return std::adjacent_find(ranges.begin(), ranges.end(), [](const auto& left, const auto& right) {
           return left.second > right.first;
         }) != ranges.end();
}

bool member_fits(const Type& type, const Member& member) {
  return member.offset <= type.size && member.count <= (type.size - member.offset) / member.type->size;
}

/// What is wrong with `type`, whose members' types are known to be right, or nullptr.
const char* fault_of(const Type& type) {
  if (type.size == 0) {
    return "its size is 0";
  }
  if (!valid_name(type.name)) {
    return "its name is too long or contains a zero byte";
  }
  if (type.cls != Class::structure && !type.members.empty()) {
    return "only structures have members";
  }
  for (const auto& member : type.members) {
    if (!valid_name(member.name)) {
      return "the name of a member is too long or contains a zero byte";
    }
    if (!member_fits(type, member)) {
      return "a member reaches beyond its end";
    }
  }
  return members_overlap(type) ? "members overlap" : nullptr;
}

tl::unexpected<cppc_status> too_deep(const Type& type) {
  return failure(CPPC_ERR_UNSUPPORTED, "image: type {} is nested more than {} deep", type.name, depth_limit);
}

void append(std::string& text, std::uint64_t number) {
  text.append(reinterpret_cast<const char*>(&number), sizeof number);
}

/// Two types are equal when this is.
std::string content_of(const Type& type, const std::vector<std::uint64_t>& member_types) {
  std::string text;
  append(text, static_cast<std::uint64_t>(type.cls));
  append(text, type.size);
  text.append(type.name).push_back('\0');
  for (std::size_t i = 0; i < type.members.size(); ++i) {
    append(text, type.members[i].offset);
    append(text, type.members[i].count);
    append(text, member_types[i]);
    text.append(type.members[i].name).push_back('\0');
  }
  return text;
}

}  // namespace

bool valid_name(std::string_view name) {
  return name.size() <= name_limit && name.find('\0') == std::string_view::npos;
}

tl::expected<std::uint64_t, cppc_status> TypeTable::intern(const std::shared_ptr<const Type>& type) {
  return intern(type, 1);
}

tl::expected<std::uint64_t, cppc_status> TypeTable::intern(const std::shared_ptr<const Type>& type, std::size_t level) {
  if (!type) {
    return failure(CPPC_ERR_ARGUMENT, "image: an object or member has no type");
  }
  if (const auto known = by_address_.find(type); known != by_address_.end()) {
    return known->second;
  }
  if (level > depth_limit) {  // also what ends a type that contains itself
    return too_deep(*type);
  }
  if (type->size > type_size_limit) {
    return failure(CPPC_ERR_UNSUPPORTED, "image: type {} has {} bytes, an HDF5 type at most {}; use an array",
                   type->name, type->size, type_size_limit);
  }
  std::vector<std::uint64_t> member_types;
  for (const auto& member : type->members) {
    const auto number = intern(member.type, level + 1);
    if (!number) {
      return number;
    }
    member_types.push_back(*number);
  }
  if (depth_above(member_types) > depth_limit) {
    return too_deep(*type);
  }
  if (const char* fault = fault_of(*type)) {
    return failure(CPPC_ERR_ARGUMENT, "image: type {} of {} bytes: {}", type->name, type->size, fault);
  }
  const auto number = add(type, member_types);
  by_address_.emplace(type, number);
  return number;
}

std::size_t TypeTable::depth_above(const std::vector<std::uint64_t>& member_types) const {
  std::size_t depth = 0;
  for (const auto number : member_types) {
    depth = std::max(depth, depths_[number]);
  }
  return depth + 1;
}

std::uint64_t TypeTable::add(const std::shared_ptr<const Type>& type, const std::vector<std::uint64_t>& member_types) {
  const auto [entry, is_new] = by_content_.emplace(content_of(*type, member_types), types_.size());
  if (is_new) {
    rows_.add(type->name,
              {static_cast<std::uint64_t>(type->cls), type->size, member_rows_.size(), member_types.size()});
    for (std::size_t i = 0; i < member_types.size(); ++i) {
      const auto& member = type->members[i];
      member_rows_.add(member.name, {member.offset, member_types[i], member.count});
    }
    types_.push_back(type);
    depths_.push_back(depth_above(member_types));
  }
  return entry->second;
}

std::optional<std::vector<std::shared_ptr<const Type>>> read_types(const TableView<TypeRow>& rows,
                                                                   const TableView<MemberRow>& members) {
  std::vector<std::shared_ptr<const Type>> types;
  std::vector<std::size_t> depths;
  types.reserve(rows.size());
  std::uint64_t next_member = 0;
  for (std::size_t number = 0; number < rows.size(); ++number) {
    const auto row = rows.row(number);
    if (row.cls > static_cast<std::uint64_t>(Class::structure) || row.size > type_size_limit ||
        row.first_member != next_member || row.members > members.size() - next_member) {
      return std::nullopt;
    }
    auto type = std::make_shared<Type>(
        Type{static_cast<Class>(row.cls), static_cast<std::size_t>(row.size), std::string(rows.name(number)), {}});
    std::size_t depth = 1;
    for (; next_member < row.first_member + row.members; ++next_member) {
      const auto member = members.row(next_member);
      if (member.type >= number || member.offset > type_size_limit || member.count > type_size_limit) {
        return std::nullopt;
      }
      type->members.push_back({std::string(members.name(next_member)), static_cast<std::size_t>(member.offset),
                               static_cast<std::size_t>(member.count), types[member.type]});
      depth = std::max(depth, depths[member.type] + 1);
    }
    if (depth > depth_limit || fault_of(*type) != nullptr) {
      return std::nullopt;
    }
    types.push_back(std::move(type));
    depths.push_back(depth);
  }
  return next_member == members.size() ? std::optional(std::move(types)) : std::nullopt;
}

}  // namespace cppc::image
