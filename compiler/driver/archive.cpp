#include "archive.hpp"

#include <ar.h>

#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>

#include "files.hpp"

namespace cppc::driver {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view thin_magic = "!<thin>\n";
constexpr std::string_view ordinary_magic{ARMAG, SARMAG};

struct Header {
  std::string_view name;
  std::size_t size;
};

std::string_view without_blanks(std::string_view field) {
  const std::size_t last = field.find_last_not_of(' ');
  return field.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

std::optional<std::size_t> number(std::string_view digits) {
  std::size_t value = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (failure != std::errc{} || end == digits.data()) return std::nullopt;
  return value;
}

std::optional<Header> take_header(std::string_view& rest) {
  if (rest.size() < sizeof(ar_hdr)) return std::nullopt;
  const auto field = [rest](std::size_t offset, std::size_t length) {
    return without_blanks(rest.substr(offset, length));
  };
  const auto size = number(field(offsetof(ar_hdr, ar_size), sizeof ar_hdr::ar_size));
  if (!size) return std::nullopt;
  const Header header{field(offsetof(ar_hdr, ar_name), sizeof ar_hdr::ar_name), *size};
  rest.remove_prefix(sizeof(ar_hdr));
  return header;
}

// Names longer than the header allows stand in a table: "/17" is the one at 17.
std::string member_name(std::string_view field, std::string_view long_names) {
  if (!field.starts_with('/')) return std::string(field.substr(0, field.find('/')));
  const auto offset = number(field.substr(1));
  if (!offset || *offset >= long_names.size()) return std::string(field);
  const std::string_view name = long_names.substr(*offset);
  return std::string(name.substr(0, name.find("/\n")));
}

bool is_index(std::string_view name) { return name == "/" || name == "/SYM64/"; }

}  // namespace

bool is_archive(std::string_view contents) {
  return contents.starts_with(ordinary_magic) || contents.starts_with(thin_magic);
}

Result<std::vector<Member>> read_archive(const std::string& path, std::string_view contents) {
  const bool thin = contents.starts_with(thin_magic);
  std::vector<Member> members;
  std::string_view long_names;
  std::string_view rest = contents.substr(SARMAG);
  while (!rest.empty()) {
    const auto header = take_header(rest);
    const bool is_member = header && !is_index(header->name) && header->name != "//";
    const std::size_t size = header && !(thin && is_member) ? header->size : 0;
    if (!header || size > rest.size()) return error(path + " is damaged: make it again");
    if (header->name == "//") long_names = rest.substr(0, size);
    if (is_member) {
      Member member{member_name(header->name, long_names), std::string(rest.substr(0, size))};
      if (thin) member.contents = read_regular_file(fs::path(path).parent_path() / member.name).value_or("");
      members.push_back(std::move(member));
    }
    rest.remove_prefix(std::min(size + size % 2, rest.size()));
  }
  return members;
}

}  // namespace cppc::driver
