#include "own_options.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <string_view>

#include "site.hpp"

namespace cppc::run {
namespace {

using tools::error;
using Given = std::map<std::string, std::string>;  // values by name; empty where there is none

constexpr const char* with_value[] = {"--listen",           "--tls-cert",      "--tls-key", "--token-file",
                                      "--checkpoint-every", "--checkpoint-to", "--restart", "--recover",
                                      "--site-moves",       "--protect"};
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

// "90", "30s", "10min", "2h".
Result<std::chrono::seconds> parse_time(const std::string& text) {
  static const std::map<std::string, int> units{{"", 1}, {"s", 1}, {"min", 60}, {"h", 3600}};
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  const auto unit = units.find(std::string(read.ptr, end));
  constexpr int longest = 1'000'000;
  if (read.ec != std::errc{} || number < 1 || number > longest || unit == units.end())
    return error("--checkpoint-every needs a time, such as 90s, 10min or 2h, and not " + text);
  return std::chrono::seconds(std::int64_t{number} * unit->second);
}

Result<int> parse_count(const std::string& text) {
  int count = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, count);
  if (read.ec != std::errc{} || read.ptr != end || count < 1)
    return error("--recover needs a number of 1 or more, and not " + text);
  return count;
}

// "4+2", after "rs:".
std::optional<ErasureCode> parse_code(const std::string& text) {
  ErasureCode code;
  const char* const end = text.data() + text.size();
  const auto images = std::from_chars(text.data(), end, code.images);
  if (images.ec != std::errc{} || images.ptr == end || *images.ptr != '+') return std::nullopt;
  const auto parities = std::from_chars(images.ptr + 1, end, code.parities);
  const bool whole = parities.ec == std::errc{} && parities.ptr == end;
  const bool within = code.images >= 1 && code.images <= most_images_of_group && code.parities >= 1 &&
                      code.parities <= most_parities_of_group;
  return whole && within ? std::optional(code) : std::nullopt;
}

Result<void> parse_protection(const std::string& text, CheckpointOptions& options) {
  constexpr std::string_view reed_solomon = "rs:";
  if (text.starts_with(reed_solomon)) options.code = parse_code(text.substr(reed_solomon.size()));
  options.in_memory = text == "partner" || options.code;
  if (options.in_memory || text == "disk") return {};
  return error("--protect is partner, rs:K+M (K from 1 to " + std::to_string(most_images_of_group) +
               " images with M from 1 to " + std::to_string(most_parities_of_group) +
               " parities, such as rs:4+2) or disk, and not " + text);
}

// Takes its options out of those that were given.
Result<CheckpointOptions> take_checkpoint_options(Given& given) {
  CheckpointOptions options;
  const auto take = [&](const char* name) -> std::optional<std::string> {
    auto one = given.extract(name);
    return one.empty() ? std::nullopt : std::optional(std::move(one.mapped()));
  };
  const auto directory = take("--checkpoint-to"), every = take("--checkpoint-every"), restart = take("--restart"),
             recover = take("--recover"), protect = take("--protect");
  const auto is_no_directory = [](const auto& name) { return name && (name->empty() || name->starts_with('-')); };
  if (is_no_directory(directory))
    return error("--checkpoint-to needs the name of a directory, and not '" + *directory + "'");
  if (is_no_directory(restart)) return error("--restart needs the name of a directory, and not '" + *restart + "'");
  if (protect)
    if (const auto parsed = parse_protection(*protect, options); !parsed) return error(parsed.error());
  if (options.in_memory && directory)
    return error("--protect " + *protect + " has checkpoints in memory: give no --checkpoint-to with it");
  if (options.in_memory && !every) return error("--protect " + *protect + " needs --checkpoint-every as well");
  if (protect == "disk" && !directory) return error("--protect disk needs --checkpoint-to as well");
  if (every && !directory && !options.in_memory)
    return error("--checkpoint-every needs --checkpoint-to, or --protect partner or rs:K+M, as well");
  if (recover && !every)
    return error("--recover needs --checkpoint-every as well, and --checkpoint-to or --protect partner or rs:K+M");
  if (directory) options.directory = std::filesystem::absolute(*directory).lexically_normal();
  if (restart) options.restart = std::filesystem::absolute(*restart).lexically_normal();
  if (every) {
    const auto time = parse_time(*every);
    if (!time) return error(time.error());
    options.every = *time;
  }
  if (recover) {
    const auto count = parse_count(*recover);
    if (!count) return error(count.error());
    options.recoveries = *count;
  }
  return options;
}

}  // namespace

bool is_own_option(const std::string& name) { return stands_alone(name) || takes_value(name); }

Result<OwnOptions> take_own_options(std::vector<std::string> arguments) {
  Given given;
  auto next = arguments.begin();
  while (next != arguments.end() && is_own_option(*next)) {
    const std::string name = *next++;
    if (takes_value(name) && next == arguments.end()) return error("a value is missing after the option " + name);
    if (!given.emplace(name, takes_value(name) ? *next++ : "").second) return error(name + " is given twice");
  }
  auto checkpoints = take_checkpoint_options(given);
  if (!checkpoints) return error(std::move(checkpoints).error());
  OwnOptions options{std::nullopt, given.erase("--preload") != 0, *std::move(checkpoints), "", {next, arguments.end()}};
  if (auto moves = given.extract("--site-moves"); !moves.empty()) {
    if (moves.mapped().empty()) return error("--site-moves needs a value");
    const Site any{.operators = {}, .owners_may_refuse = true, .owners_may_set_window = true};
    if (const auto understood = SiteMoves::parse(moves.mapped(), any); !understood) return error(understood.error());
    options.site_moves = std::move(moves.mapped());
  }
  if (given.empty()) return options;
  auto network = understand(given);
  if (!network) return error(std::move(network).error());
  options.network = *std::move(network);
  return options;
}

}  // namespace cppc::run
