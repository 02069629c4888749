#include "fabric/head.hpp"

#include <cstring>

namespace cppc::fabric {
namespace {

struct Row {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

}  // namespace

std::vector<std::byte> encode_table(std::span<const Extent> head) {
  const std::uint64_t rows = head.size();
  std::vector<std::byte> table(sizeof rows + rows * sizeof(Row));
  std::memcpy(table.data(), &rows, sizeof rows);
  auto* at = table.data() + sizeof rows;
  for (const Extent& extent : head) {
    const Row row{extent.offset, extent.bytes.size()};
    std::memcpy(at, &row, sizeof row);
    at += sizeof row;
  }
  return table;
}

std::optional<std::vector<Extent>> decode_head(std::span<const std::byte> bytes) {
  std::uint64_t rows = 0;
  if (bytes.size() < sizeof rows) return std::nullopt;
  std::memcpy(&rows, bytes.data(), sizeof rows);
  bytes = bytes.subspan(sizeof rows);
  if (rows > bytes.size() / sizeof(Row)) return std::nullopt;
  const auto* at = bytes.data();
  bytes = bytes.subspan(rows * sizeof(Row));
  std::vector<Extent> head;
  for (std::uint64_t i = 0; i < rows; ++i, at += sizeof(Row)) {
    Row row;
    std::memcpy(&row, at, sizeof row);
    if (row.bytes > bytes.size()) return std::nullopt;
    head.push_back({row.offset, bytes.first(row.bytes)});
    bytes = bytes.subspan(row.bytes);
  }
  return bytes.empty() ? std::optional(head) : std::nullopt;
}

}  // namespace cppc::fabric
