#include "remote_command.hpp"

#include <pwd.h>
#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <sstream>

namespace cppc::launch {
namespace {

namespace fs = std::filesystem;

// One "tcp://ADDRESSES:PORT" in a text.
struct Place {
  std::string address;
  std::size_t port_begin = 0, port_end = 0;
  std::uint16_t port = 0;
};

std::optional<Place> next_place(const std::string& text, std::size_t from) {
  for (std::size_t begin = text.find("tcp", from); begin != std::string::npos; begin = text.find("tcp", begin + 1)) {
    const std::string_view rest = std::string_view(text).substr(begin);
    const std::size_t scheme = rest.starts_with("tcp://") ? 6 : rest.starts_with("tcp6://") ? 7 : 0;
    if (scheme == 0) continue;
    const std::size_t addresses = begin + scheme;
    const std::size_t end = std::min(text.find_first_of(";\"' ", addresses), text.size());
    const std::size_t colon = text.rfind(':', end - 1);
    if (colon == std::string::npos || colon < addresses) continue;
    Place place{text.substr(addresses, colon - addresses), colon + 1, end, 0};
    const auto [last, failure] = std::from_chars(text.data() + colon + 1, text.data() + end, place.port);
    if (failure != std::errc{} || last != text.data() + end) continue;
    std::erase_if(place.address, [](char c) { return c == '[' || c == ']'; });
    place.address.erase(std::min(place.address.find(','), place.address.size()));
    return place;
  }
  return std::nullopt;
}

bool is_in_path(const std::string& program) {
  const auto executable = [](const fs::path& path) {
    std::error_code unseen;  // what this user cannot see, it cannot run either
    return fs::is_regular_file(path, unseen) && access(path.c_str(), X_OK) == 0;
  };
  if (program.find('/') != std::string::npos) return executable(program);
  const char* path = std::getenv("PATH");
  std::istringstream directories(path == nullptr ? "" : path);
  for (std::string directory; std::getline(directories, directory, ':');) {
    if (executable(fs::path(directory) / program)) return true;
  }
  return false;
}

// As sshd takes it.
std::string login_shell() {
  std::array<char, 4096> memory{};
  passwd entry{};
  passwd* found = nullptr;
  const bool known = getpwuid_r(geteuid(), &entry, memory.data(), memory.size(), &found) == 0 && found != nullptr;
  return known && *found->pw_shell != '\0' ? found->pw_shell : "/bin/sh";
}

bool says_x11(const std::string& word) { return strcasecmp(word.c_str(), "-x") == 0; }

}  // namespace

std::optional<Contact> find_contact(std::span<const std::string> arguments) {
  for (const std::string& argument : arguments) {
    if (const auto place = next_place(argument, 0)) return Contact{place->address, place->port};
  }
  return std::nullopt;
}

std::vector<std::string> with_port(std::vector<std::string> arguments, std::uint16_t port) {
  const std::string number = std::to_string(port);
  for (std::string& argument : arguments) {
    std::size_t from = 0;
    while (const auto place = next_place(argument, from)) {
      argument.replace(place->port_begin, place->port_end - place->port_begin, number);
      from = place->port_begin + number.size();
    }
  }
  return arguments;
}

std::vector<std::string> find_remote_shell(const std::string& list) {
  std::istringstream commands(list);
  for (std::string command; std::getline(commands, command, ':');) {
    std::istringstream stream(command);
    std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
    if (words.empty() || !is_in_path(words.front())) continue;
    if (fs::path(words.front()).filename() == "ssh" && std::none_of(words.begin(), words.end(), says_x11)) {
      words.push_back("-x");
    }
    return words;
  }
  return {};
}

std::vector<std::string> step_command(const std::string& job, const std::string& name, const std::string& node,
                                      const std::vector<std::string>& command) {
  std::string line;
  for (const std::string& word : command) line += (line.empty() ? "" : " ") + word;
  // All that the job has of the node, whatever other steps have of it.
  return {"srun",
          "--jobid=" + job,
          "--overlap",
          "--nodes=1",
          "--ntasks=1",
          "--nodelist=" + node,
          "--mem=0",
          "--cpu-bind=none",
          "--mpi=none",
          "--no-kill",
          "--input=none",
          "--quiet",
          "--job-name=" + name,
          "--export=ALL",
          login_shell(),
          "-c",
          line};
}

bool is_mpiruns_own(const std::string& variable) {
  constexpr std::array<std::string_view, 5> prefixes{"CPPC_", "OMPI_", "ORTE_", "PMIX_", "PRTE_"};
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return variable.starts_with(prefix); });
}

}  // namespace cppc::launch
