/// Tables of the index: built row by row, written as bytes, and looked at in the bytes of a file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "byte_order.hpp"
#include "file_view.hpp"
#include "format.hpp"

namespace cppc::image {

/// A table to write.
template <class Row>
class Table {
 public:
  void add(std::string name, const Row& row) {
    widest_name_ = std::max(widest_name_, name.size());
    rows_.emplace_back(std::move(name), row);
  }
  [[nodiscard]] const std::string& name(std::size_t number) const { return rows_[number].first; }
  [[nodiscard]] std::size_t size() const { return rows_.size(); }

  /// Bytes of the name column: 0 when no row has a name, else with a 0 behind the longest.
  [[nodiscard]] std::size_t name_bytes() const { return widest_name_ == 0 ? 0 : (widest_name_ + 8) / 8 * 8; }
  [[nodiscard]] std::size_t row_bytes() const { return name_bytes() + sizeof(Row); }

  [[nodiscard]] std::vector<std::byte> encode() const {
    std::vector<std::byte> bytes(size() * row_bytes());
    auto* at = bytes.data();
    for (const auto& [name, row] : rows_) {
      std::copy_n(reinterpret_cast<const std::byte*>(name.data()), name.size(), at);
      std::memcpy(at + name_bytes(), &row, sizeof row);
      at += row_bytes();
    }
    return bytes;
  }

 private:
  std::deque<std::pair<std::string, Row>> rows_;
  std::size_t widest_name_ = 0;
};

/// A table in a file.
template <class Row>
class TableView {
 public:
  /// Nothing when `place` is not within the file and there, or its rows have another width than `Row`'s with a name of
  /// up to name_limit bytes.
  static std::optional<TableView> at(const FileView& file, const TablePlace& place) {
    const bool form = place.row_bytes >= sizeof(Row) && place.row_bytes <= sizeof(Row) + name_limit + 8;
    if (!form || place.offset > file.size() || place.rows > (file.size() - place.offset) / place.row_bytes) {
      return std::nullopt;
    }
    const auto bytes = file.at(place.offset, place.rows * place.row_bytes);
    return bytes ? std::optional(TableView(*bytes, place, file.swapped())) : std::nullopt;
  }
  [[nodiscard]] std::size_t size() const { return rows_; }

  [[nodiscard]] Row row(std::size_t number) const {
    Row row;
    std::memcpy(&row, bytes_.data() + number * row_bytes_ + name_bytes(), sizeof row);
    if (swapped_) swap_numbers<std::uint64_t>(row);
    return row;
  }
  [[nodiscard]] std::string_view name(std::size_t number) const {
    const std::string_view field(reinterpret_cast<const char*>(bytes_.data()) + number * row_bytes_, name_bytes());
    return field.substr(0, field.find('\0'));
  }

 private:
  TableView(std::span<const std::byte> bytes, const TablePlace& place, bool swapped)
      : bytes_(bytes), rows_(place.rows), row_bytes_(place.row_bytes), swapped_(swapped) {}
  [[nodiscard]] std::size_t name_bytes() const { return row_bytes_ - sizeof(Row); }

  std::span<const std::byte> bytes_;
  std::size_t rows_;
  std::size_t row_bytes_;
  bool swapped_;
};

}  // namespace cppc::image
