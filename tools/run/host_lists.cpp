#include "host_lists.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <sstream>

namespace cppc::run {
namespace {

using tools::error;

std::optional<int> parse_slots(const std::string& text) {
  int slots = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), slots);
  if (failure != std::errc{} || end != text.data() + text.size() || slots < 1) return std::nullopt;
  return slots;
}

std::string canonical(const std::string& name, const Machine& machine) {
  return machine.is_local(name) ? machine.name : without_domain(name);
}

AllocatedNode* find(std::vector<AllocatedNode>& nodes, const std::string& name) {
  const auto found =
      std::find_if(nodes.begin(), nodes.end(), [&](const AllocatedNode& node) { return node.name == name; });
  return found == nodes.end() ? nullptr : &*found;
}

// A slot for each mention: that is what naming a node twice means. False when no number holds them all.
bool mention(std::vector<AllocatedNode>& nodes, const std::string& name, std::optional<int> slots) {
  AllocatedNode* known = find(nodes, name);
  if (known == nullptr) {
    nodes.push_back({name, slots});
    return true;
  }
  int sum = 0;
  if (__builtin_add_overflow(known->slots.value_or(1), slots.value_or(1), &sum)) return false;
  known->slots = sum;
  return true;
}

struct HostFileLine {
  std::string host;
  std::optional<int> slots;
};

Result<HostFileLine> parse_line(const std::vector<std::string>& tokens) {
  HostFileLine line{tokens.front(), std::nullopt};
  if (line.host.find_first_of("@^+=") != std::string::npos || line.host == "rank") {
    return error("\"" + line.host + "\" is not a plain host name, which is all that cppc-run takes");
  }
  for (std::size_t i = 1; i < tokens.size(); i += 3) {
    const bool slots = tokens[i] == "slots" || tokens[i] == "cpu" || tokens[i] == "count";
    if (!slots) return error("only slots= can follow a host name, not \"" + tokens[i] + "\"");
    line.slots = i + 2 < tokens.size() && tokens[i + 1] == "=" ? parse_slots(tokens[i + 2]) : std::nullopt;
    if (!line.slots) return error("a number above 0 has to follow slots=");
  }
  return line;
}

std::vector<std::string> words(std::string line) {
  line.erase(std::min({line.find('#'), line.find("//"), line.size()}));
  std::string spaced;
  for (const char character : line) spaced += character == '=' ? std::string(" = ") : std::string(1, character);
  std::istringstream stream(spaced);
  return {std::istream_iterator<std::string>(stream), {}};
}

}  // namespace

Result<std::vector<AllocatedNode>> parse_host_list(const std::string& list, const Machine& machine,
                                                   const std::string& option) {
  std::vector<AllocatedNode> nodes;
  std::istringstream stream(list);
  for (std::string entry; std::getline(stream, entry, ',');) {
    if (entry.empty()) continue;
    if (entry.front() == '+') return error(option + " " + entry + ": name nodes by their names");
    const std::size_t colon = entry.find(':');
    const std::string name = canonical(entry.substr(0, colon), machine);
    const std::string number = colon == std::string::npos ? "1" : entry.substr(colon + 1);
    const bool automatic = number == "*" || number == "auto";
    const std::optional<int> slots = parse_slots(number);
    if (!slots && !automatic)
      return error(option + " " + entry + ": a number of slots from 1 up, or *, has to follow the colon");
    if (!mention(nodes, name, slots)) return error(option + " gives " + name + " too many slots");
  }
  if (nodes.empty()) return error(option + " names no node");
  return nodes;
}

Result<std::vector<AllocatedNode>> parse_host_file(std::istream& file, const std::string& name,
                                                   const Machine& machine) {
  std::vector<AllocatedNode> nodes;
  int number = 0;
  for (std::string text; std::getline(file, text);) {
    ++number;
    const std::vector<std::string> tokens = words(text);
    if (tokens.empty()) continue;
    const auto line = parse_line(tokens);
    if (!line) return error(name + ", line " + std::to_string(number) + ": " + line.error());
    const bool counted = mention(nodes, canonical(line->host, machine), line->slots);
    if (!counted) return error(name + ", line " + std::to_string(number) + ": " + line->host + " has too many slots");
  }
  return nodes;
}

}  // namespace cppc::run
