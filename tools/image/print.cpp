#include "print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cppc::image {

namespace {

constexpr std::uint64_t batch_bytes = 4096;

/// Names come from the file: nothing in them may control the terminal.
std::string printable(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const auto code = static_cast<unsigned char>(c);
    text += code < 0x20 || code == 0x7f ? fmt::format("\\x{:02x}", code) : std::string(1, c);
  }
  return text;
}

bool has_holes(const Entry& entry) { return !entry.dead && entry.stored_bytes < entry.bytes; }

std::string state_of(const Entry& entry) {
  if (entry.dead) {
    return "dead";
  }
  return std::to_string(entry.stored_bytes) + (has_holes(entry) ? "+" : "");
}

template <class T>
std::string number(std::span<const std::byte> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return fmt::format("{}", value);
}

std::string hexadecimal(std::span<const std::byte> bytes) {
  std::string text;
  for (const auto byte : bytes) {
    text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  }
  return text;
}

std::string integer_text(std::span<const std::byte> bytes, bool is_signed) {
  switch (bytes.size()) {
    case 1:
      return is_signed ? std::to_string(static_cast<signed char>(bytes[0])) : number<unsigned char>(bytes);
    case 2:
      return is_signed ? number<std::int16_t>(bytes) : number<std::uint16_t>(bytes);
    case 4:
      return is_signed ? number<std::int32_t>(bytes) : number<std::uint32_t>(bytes);
    case 8:
      return is_signed ? number<std::int64_t>(bytes) : number<std::uint64_t>(bytes);
    default:
      return hexadecimal(bytes);
  }
}

std::string float_text(std::span<const std::byte> bytes) {
  switch (bytes.size()) {
    case sizeof(float):
      return number<float>(bytes);
    case sizeof(double):
      return number<double>(bytes);
    case sizeof(long double):
      return number<long double>(bytes);
    default:
      return hexadecimal(bytes);
  }
}

std::string scalar_text(Class cls, std::span<const std::byte> bytes) {
  switch (cls) {
    case Class::signed_integer:
      return integer_text(bytes, true);
    case Class::unsigned_integer:
      return integer_text(bytes, false);
    case Class::reference:
      return fmt::format("@{}", integer_text(bytes, false));
    case Class::floating:
      return float_text(bytes);
    case Class::complex:
      return fmt::format("({}, {})", float_text(bytes.first(bytes.size() / 2)),
                         float_text(bytes.subspan(bytes.size() / 2)));
    case Class::bytes:
    case Class::structure:
      break;
  }
  return hexadecimal(bytes);
}

/// Prints an object piece by piece: it may be larger than memory.
class ValuePrinter {
 public:
  ValuePrinter(const Reader& reader, const Entry& entry) : reader_(reader), entry_(entry) {}

  tl::expected<void, cppc_status> print() {
    const auto& type = *entry_.type;
    const std::uint64_t per_line = type.cls == Class::structure ? 1 : type.cls == Class::bytes ? 32 : 8;
    bool repeating = false;
    for (std::uint64_t first = 0; first < entry_.count && status_; first += per_line) {
      const std::uint64_t count = std::min(per_line, entry_.count - first);
      if (repeats(first * type.size, count * type.size)) {
        fmt::print("{}", std::exchange(repeating, true) ? "" : "  *\n");
        continue;
      }
      repeating = false;
      fmt::print("  [{}] ", first);
      print_elements(type, count, first * type.size, " ");
      fmt::print("\n");
    }
    return status_;
  }

 private:
  std::span<const std::byte> read(std::uint64_t offset, std::uint64_t bytes) {
    const auto part = std::span(buffer_).first(std::min(bytes, batch_bytes));
    std::ranges::fill(part, std::byte{0});  // holes are left as they are
    if (status_) {
      status_ = reader_.read_part(entry_, offset, part);
    }
    return part;
  }

  bool repeats(std::uint64_t offset, std::uint64_t bytes) {
    if (bytes > batch_bytes) {
      last_line_.clear();
      return false;
    }
    const auto line = read(offset, bytes);
    const bool same = std::ranges::equal(line, last_line_);
    last_line_.assign(line.begin(), line.end());
    return same;
  }

  void print_elements(const Type& type, std::uint64_t count, std::uint64_t offset, const char* separator) {
    for (std::uint64_t i = 0; i < count && status_; ++i) {
      fmt::print("{}", i == 0 ? "" : separator);
      if (type.cls == Class::structure) {
        print_structure(type, offset + i * type.size);
      } else {
        print_scalar(type, offset + i * type.size);
      }
    }
  }

  void print_structure(const Type& type, std::uint64_t offset) {
    const char* separator = "";
    fmt::print("{{");
    for (const auto& member : type.members) {
      const bool array = member.count != 1;
      fmt::print("{}{}: {}", separator, printable(member.name), array ? "[" : "");
      print_elements(*member.type, member.count, offset + member.offset, ", ");
      fmt::print("{}", array ? "]" : "");
      separator = ", ";
    }
    fmt::print("}}");
  }

  void print_scalar(const Type& type, std::uint64_t offset) {
    if (type.size <= batch_bytes) {
      fmt::print("{}", scalar_text(type.cls, read(offset, type.size)));
      return;
    }
    for (std::uint64_t at = 0; at < type.size && status_; at += batch_bytes) {
      fmt::print("{}", hexadecimal(read(offset + at, type.size - at)));
    }
  }

  const Reader& reader_;
  const Entry& entry_;
  std::array<std::byte, batch_bytes> buffer_{};
  std::vector<std::byte> last_line_;
  tl::expected<void, cppc_status> status_;
};

}  // namespace

void print_list(const Reader& reader) {
  constexpr const char* line = "{:<{}}  {:<{}}  {:>12}  {:>14}  {:>14}  {:>14}\n";
  std::size_t path_width = 4;
  std::size_t type_width = 4;
  std::uint64_t stored = 0;
  for (const auto& entry : reader.entries()) {
    path_width = std::max(path_width, printable(entry.path).size());
    type_width = std::max(type_width, printable(entry.type->name).size());
    stored += entry.stored_bytes;
  }
  fmt::print(line, "PATH", path_width, "TYPE", type_width, "COUNT", "BYTES", "STORED", "ADDRESS");
  for (const auto& entry : reader.entries()) {
    fmt::print(line, printable(entry.path), path_width, printable(entry.type->name), type_width, entry.count,
               entry.bytes, state_of(entry), entry.address != 0 ? fmt::format("{:#x}", entry.address) : "-");
  }
  fmt::print("{} objects, {} bytes stored\n", reader.entries().size(), stored);
}

tl::expected<void, cppc_status> print_values(const Reader& reader, const Entry& entry) {
  fmt::print("{}: {}[{}]{}\n", printable(entry.path), printable(entry.type->name), entry.count,
             entry.dead ? " dead"
             : has_holes(entry)
                 ? fmt::format(" {} bytes of {}; the others are dead and shown as 0", entry.stored_bytes, entry.bytes)
                 : "");
  if (entry.dead) {
    return {};
  }
  return ValuePrinter(reader, entry).print();
}

}  // namespace cppc::image
