/// Element types as rows of two tables, types and members, and back: exactly the tree that was given.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <unordered_map>
#include <vector>

#include "cppc/image.hpp"
#include "format.hpp"
#include "tables.hpp"

namespace cppc::image {

/// Whether a name can be kept: at most name_limit bytes, none of them 0.
bool valid_name(std::string_view name);

/// Numbers the types that the objects of an image use, equal ones once.
class TypeTable {
 public:
  /// The number of `type`; CPPC_ERR_ARGUMENT when the type makes no sense, CPPC_ERR_UNSUPPORTED when it is larger or
  /// deeper than an image can hold.
  tl::expected<std::uint64_t, cppc_status> intern(const std::shared_ptr<const Type>& type);

  /// By number; every type comes after those of its members.
  [[nodiscard]] const std::vector<std::shared_ptr<const Type>>& types() const { return types_; }
  [[nodiscard]] const Table<TypeRow>& rows() const { return rows_; }
  [[nodiscard]] const Table<MemberRow>& member_rows() const { return member_rows_; }

 private:
  tl::expected<std::uint64_t, cppc_status> intern(const std::shared_ptr<const Type>& type, std::size_t level);
  [[nodiscard]] std::size_t depth_above(const std::vector<std::uint64_t>& member_types) const;
  std::uint64_t add(const std::shared_ptr<const Type>& type, const std::vector<std::uint64_t>& member_types);

  std::unordered_map<std::shared_ptr<const Type>, std::uint64_t> by_address_;
  std::unordered_map<std::string, std::uint64_t> by_content_;
  std::vector<std::shared_ptr<const Type>> types_;
  std::vector<std::size_t> depths_;  // by number: how deep structures are nested
  Table<TypeRow> rows_;
  Table<MemberRow> member_rows_;
};

/// The types of an image by number, or nothing when the tables make no sense.
std::optional<std::vector<std::shared_ptr<const Type>>> read_types(const TableView<TypeRow>& rows,
                                                                   const TableView<MemberRow>& members);

}  // namespace cppc::image
