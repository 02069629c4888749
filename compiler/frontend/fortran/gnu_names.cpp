#include "gnu_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

namespace cppc::fortran {

namespace {

using Name = std::pair<std::string_view, std::string_view>;

constexpr std::array kNames{Name{"algama", "log_gamma"}, Name{"besj0", "bessel_j0"},
                            Name{"besj1", "bessel_j1"},  Name{"besy0", "bessel_y0"},
                            Name{"besy1", "bessel_y1"},  Name{"dbesj0", "bessel_j0"},
                            Name{"dbesj1", "bessel_j1"}, Name{"dbesy0", "bessel_y0"},
                            Name{"dbesy1", "bessel_y1"}, Name{"dcosd", "cosd"},
                            Name{"derfc", "erfc"},       Name{"dgamma", "gamma"},
                            Name{"dlgama", "log_gamma"}, Name{"dsind", "sind"},
                            Name{"dtand", "tand"},       Name{"imagpart", "aimag"},
                            Name{"int2", "int"},         Name{"int8", "int"},
                            Name{"lnblnk", "len_trim"},  Name{"realpart", "real"},
                            Name{"zcos", "cos"},         Name{"zexp", "exp"},
                            Name{"zlog", "log"},         Name{"zsin", "sin"},
                            Name{"zsqrt", "sqrt"},       Name{"iargc", "command_argument_count"}};

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '%'; }

std::string lower(std::string_view text) {
  std::string made(text);
  std::ranges::transform(made, made.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return made;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> gnu_names_in(std::string_view source) {
  std::map<std::string, std::string_view, std::less<>> found;  // by their spelling
  std::set<std::string> own;
  for (std::size_t at = 0; at < source.size();) {
    const auto begin = std::find_if(source.begin() + static_cast<std::ptrdiff_t>(at), source.end(), in_name);
    const auto end = std::find_if_not(begin, source.end(), in_name);
    const std::string_view word(begin, end);
    at = static_cast<std::size_t>(end - source.begin());
    const std::string name = lower(word);
    const auto known = std::ranges::find(kNames, name, &Name::first);
    if (known == kNames.end()) continue;
    const std::size_t next = source.find_first_not_of(" \t", at);
    if (next != std::string_view::npos && source[next] == '(')
      found.emplace(word, known->second);
    else
      own.insert(name);
  }
  std::erase_if(found, [&](const auto& one) { return own.contains(lower(one.first)); });
  return {found.begin(), found.end()};
}

}  // namespace cppc::fortran
