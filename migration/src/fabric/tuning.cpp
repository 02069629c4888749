#include <spdlog/spdlog.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "fabric.hpp"

namespace cppc::fabric {
namespace {

void set_from(const char* variable, std::size_t& value, std::size_t unit) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return;
  const char* end = text + std::strlen(text);
  std::size_t number = 0;
  const auto [rest, error] = std::from_chars(text, end, number);
  if (error == std::errc() && rest == end && number > 0 && number <= (std::size_t{1} << 30) / unit)
    value = number * unit;
  else
    spdlog::warn("{}={} is no number that the fabric can use: it goes on with {}", variable, text, value / unit);
}

void set_from(const char* variable, Compression& value) {
  const char* text = std::getenv(variable);
  const std::string_view wish = text == nullptr ? "" : text;
  if (wish == "on")
    value = Compression::on;
  else if (wish == "off")
    value = Compression::off;
  else if (!wish.empty() && wish != "auto")
    spdlog::warn("{}={} is none of auto, on and off: the fabric goes on with auto", variable, wish);
}

}  // namespace

Tuning Tuning::from_environment() {
  Tuning tuning;
  set_from("CPPC_FABRIC_CHUNK", tuning.chunk_bytes, 1024);
  set_from("CPPC_FABRIC_DEPTH", tuning.in_flight, 1);
  set_from("CPPC_COMPRESS", tuning.compression);
  return tuning;
}

}  // namespace cppc::fabric
