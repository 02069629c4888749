/// Numbers and strings as bytes: little-endian, without padding, read with bounds checks.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cppc {

class ByteWriter {
 public:
  void u8(std::uint8_t value) { number(value); }
  void u32(std::uint32_t value) { number(value); }
  void u64(std::uint64_t value) { number(value); }
  void i32(std::int32_t value) { number(static_cast<std::uint32_t>(value)); }
  void i64(std::int64_t value) { number(static_cast<std::uint64_t>(value)); }

  /// Length and bytes.
  void text(std::string_view value) { block(std::as_bytes(std::span(value))); }
  void block(std::span<const std::byte> bytes) {
    u64(bytes.size());
    raw(bytes);
  }

  /// Bytes alone.
  void raw(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  [[nodiscard]] std::vector<std::byte> take() && { return std::move(bytes_); }

 private:
  void number(std::unsigned_integral auto value) {
    for (std::size_t i = 0; i < sizeof value; ++i) {
      bytes_.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i)));
    }
  }

  std::vector<std::byte> bytes_;
};

/// Reads what a ByteWriter wrote. A read beyond the end, or fail(), makes the reader bad: from then on every read gives
/// zero or an empty value. So a reader is asked once, after its last read; only loops have to look at ok() or use
/// count(). Views point into the bytes given.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  std::uint8_t u8() { return number<std::uint8_t>(); }
  std::uint32_t u32() { return number<std::uint32_t>(); }
  std::uint64_t u64() { return number<std::uint64_t>(); }
  std::int32_t i32() { return static_cast<std::int32_t>(u32()); }
  std::int64_t i64() { return static_cast<std::int64_t>(u64()); }

  std::string_view text() {
    const auto bytes = block();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  std::span<const std::byte> block() { return take(u64()); }

  /// A number of items that follow, each at least `item_bytes` (> 0) long: never more than the rest can hold.
  std::uint64_t count(std::size_t item_bytes) {
    const std::uint64_t items = u64();
    if (items > rest_.size() / item_bytes) fail();
    return ok_ ? items : 0;
  }

  void fail() {
    ok_ = false;
    rest_ = {};
  }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool at_end() const { return ok_ && rest_.empty(); }

 private:
  std::span<const std::byte> take(std::uint64_t bytes) {
    if (bytes > rest_.size()) {
      fail();
      return {};
    }
    const auto taken = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return taken;
  }

  template <std::unsigned_integral T>
  T number() {
    std::uint64_t value = 0;
    const auto bytes = take(sizeof(T));
    for (std::size_t i = 0; i < bytes.size(); ++i) value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
    return static_cast<T>(value);
  }

  std::span<const std::byte> rest_;
  bool ok_ = true;
};

}  // namespace cppc
