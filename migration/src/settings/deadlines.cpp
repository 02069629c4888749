#include "cppc/deadlines.hpp"

#include <charconv>
#include <cstdlib>
#include <optional>

namespace cppc::deadlines {
namespace {

constexpr std::string_view prefix = "CPPC_DEADLINE_";
constexpr int longest = 7 * 24 * 3600;

std::optional<Seconds> parse(std::string_view value) {
  int seconds = 0;
  const auto [end, error] = std::from_chars(value.begin(), value.end(), seconds);
  if (error != std::errc{} || end != value.end() || seconds < 1 || seconds > longest) return std::nullopt;
  return Seconds(seconds);
}

Seconds deadline(const char* name, Seconds otherwise) {
  const char* const value = std::getenv((std::string(prefix) + name).c_str());
  return value == nullptr ? otherwise : parse(value).value_or(otherwise);
}

}  // namespace

Seconds start() { return deadline("START", Seconds(60)); }
Seconds arrive() { return deadline("ARRIVE", Seconds(120)); }
Seconds drain() { return deadline("DRAIN", Seconds(30)); }
Seconds ship() { return deadline("SHIP", Seconds(600)); }
Seconds decide() { return deadline("DECIDE", Seconds(10)); }
Seconds commit() { return deadline("COMMIT", Seconds(60)); }
Seconds leave() { return deadline("LEAVE", Seconds(30)); }
Seconds keep() { return deadline("KEEP", Seconds(600)); }

std::string validation_error(std::string_view name, std::string_view value) {
  if (!name.starts_with(prefix)) return {};
  const std::string_view rest = name.substr(prefix.size());
  for (const std::string_view known : {"START", "ARRIVE", "DRAIN", "SHIP", "DECIDE", "COMMIT", "LEAVE", "KEEP"}) {
    if (rest != known) continue;
    if (parse(value)) return {};
    return std::string(name) + "=" + std::string(value) + " is no number of whole seconds from 1 to " +
           std::to_string(longest);
  }
  return "there is no " + std::string(name) +
         "; there are CPPC_DEADLINE_START, _ARRIVE, _DRAIN, _SHIP, _DECIDE, _COMMIT, _LEAVE and _KEEP";
}

}  // namespace cppc::deadlines
