#include "memory_map.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <string_view>

#include "log.hpp"

namespace cppc {

namespace {

/// Takes fields from the front of a line. All ranks stand still while the hundreds of lines are read.
class Fields {
 public:
  explicit Fields(std::string_view line) : rest_(line) {}

  std::uint64_t number(int base) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value, base);
    ok_ = ok_ && error == std::errc();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  /// Up to the next space; goes on behind the spaces that follow.
  std::string_view word() {
    skip_spaces();
    const std::string_view word = rest_.substr(0, rest_.find(' '));
    rest_.remove_prefix(word.size());
    skip_spaces();
    return word;
  }

  void skip(std::size_t characters) { rest_.remove_prefix(std::min(characters, rest_.size())); }
  [[nodiscard]] std::string_view rest() const { return rest_; }
  [[nodiscard]] bool ok() const { return ok_; }

 private:
  void skip_spaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }
  std::string_view rest_;
  bool ok_ = true;
};

/// begin-end permissions offset device inode name
std::optional<MemoryMap::Range> parse(std::string_view line) {
  Fields fields(line);
  MemoryMap::Range range{};
  range.begin = fields.number(16);
  fields.skip(1);
  range.end = fields.number(16);
  const std::string_view permissions = fields.word();
  range.offset = fields.number(16);
  fields.word();
  fields.word();
  if (!fields.ok() || permissions.size() != 4) return {};
  range.protection = (permissions[0] == 'r' ? PROT_READ : 0) | (permissions[1] == 'w' ? PROT_WRITE : 0) |
                     (permissions[2] == 'x' ? PROT_EXEC : 0);
  range.shared = permissions[3] == 's';
  range.name = fields.rest();
  return range;
}

}  // namespace

tl::expected<MemoryMap, cppc_status> MemoryMap::read() {
  std::ifstream file("/proc/self/maps");
  MemoryMap map;
  for (std::string line; std::getline(file, line);)
    if (auto range = parse(line)) {
      if (range->shared) map.shared_.push_back(map.ranges_.size());
      map.ranges_.push_back(*std::move(range));
    }
  if (map.ranges_.empty()) {
    log().error("cannot read /proc/self/maps, which says what memory there is");
    return tl::unexpected(CPPC_ERR_SYSTEM);
  }
  return map;
}

const MemoryMap::Range* MemoryMap::find(const void* address) const {
  const auto value = reinterpret_cast<std::uintptr_t>(address);
  const auto range = std::ranges::upper_bound(ranges_, value, {}, &Range::begin);
  return range != ranges_.begin() && value < (range - 1)->end ? &*(range - 1) : nullptr;
}

bool MemoryMap::writable(std::span<const std::byte> memory) const {
  const std::byte* end = memory.data() + memory.size();
  for (const std::byte* at = memory.data(); at < end;) {
    const Range* range = find(at);
    if (range == nullptr || !range->writable()) return false;
    at = reinterpret_cast<const std::byte*>(range->end);
  }
  return true;
}

bool MemoryMap::shared(std::span<const std::byte> memory) const {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
  const auto end_of = [this](std::size_t number) { return ranges_[number].end; };
  const auto next = std::ranges::upper_bound(shared_, begin, {}, end_of);
  return next != shared_.end() && ranges_[*next].begin < begin + memory.size();
}

}  // namespace cppc
