#include "own_options.hpp"

#include <algorithm>
#include <charconv>
#include <map>

namespace cppc::run {
namespace {

using tools::error;
using Given = std::map<std::string, std::string>;  // values by name; empty where there is none

constexpr const char* with_value[] = {"--listen", "--tls-cert", "--tls-key", "--token-file"};
constexpr const char* without_value[] = {"--munge", "--preload"};

bool takes_value(const std::string& name) {
  return std::find(std::begin(with_value), std::end(with_value), name) != std::end(with_value);
}

bool stands_alone(const std::string& name) {
  return std::find(std::begin(without_value), std::end(without_value), name) != std::end(without_value);
}

// "10.0.0.1:4711" or "[fd00::1]:4711".
Result<Endpoint> parse_endpoint(const std::string& text) {
  const auto colon = text.rfind(':');
  std::string address = text.substr(0, colon);
  if (address.starts_with('[') && address.ends_with(']')) address = address.substr(1, address.size() - 2);
  Endpoint endpoint{address, 0};
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + std::min(text.size(), colon + 1), end, endpoint.port);
  if (colon == std::string::npos || read.ec != std::errc{} || read.ptr != end || !numeric_endpoint(endpoint)) {
    return error("--listen needs ADDRESS:PORT, such as 10.0.0.1:4711, and not " + text);
  }
  return endpoint;
}

Result<NetworkAccess> understand(const Given& given) {
  for (const char* name : {"--listen", "--tls-cert", "--tls-key"}) {
    if (!given.contains(name)) return error(std::string("requests over the network need ") + name + " as well");
  }
  if (given.contains("--token-file") == given.contains("--munge")) {
    return error("requests over the network need either --token-file or --munge");
  }
  const auto endpoint = parse_endpoint(given.at("--listen"));
  if (!endpoint) return error(endpoint.error());
  const auto token = given.find("--token-file");
  if (token != given.end() && token->second.empty()) return error("--token-file needs the name of a file");
  return NetworkAccess{*endpoint, given.at("--tls-cert"), given.at("--tls-key"),
                       token != given.end() ? token->second : ""};
}

}  // namespace

Result<OwnOptions> take_own_options(std::vector<std::string> arguments) {
  Given given;
  auto next = arguments.begin();
  while (next != arguments.end() && (stands_alone(*next) || takes_value(*next))) {
    const std::string name = *next++;
    if (takes_value(name) && next == arguments.end()) return error("a value is missing after the option " + name);
    if (!given.emplace(name, takes_value(name) ? *next++ : "").second) return error(name + " is given twice");
  }
  OwnOptions options{std::nullopt, given.erase("--preload") != 0, {next, arguments.end()}};
  if (given.empty()) return options;
  auto network = understand(given);
  if (!network) return error(std::move(network).error());
  options.network = *std::move(network);
  return options;
}

}  // namespace cppc::run
