#include "recipe.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "cppc/hooks.h"
#include "cppc/program_id.hpp"
#include "process_files.hpp"

namespace cppc::migration {
namespace {

constexpr std::array<std::string_view, 5> kLauncherPrefixes{"OMPI_", "PMIX_", "ORTE_", "OPAL_", "PMI_"};

bool belongs_to_launcher(std::string_view setting) {
  return std::any_of(kLauncherPrefixes.begin(), kLauncherPrefixes.end(),
                     [&](std::string_view prefix) { return setting.starts_with(prefix); });
}

bool same_name(std::string_view one, std::string_view other) {
  return one.substr(0, one.find('=')) == other.substr(0, other.find('='));
}

tl::expected<std::vector<std::string>, cppc_status> read_strings(const std::filesystem::path& path) {
  const std::string text = process_file(path);
  if (text.empty()) {
    spdlog::error("cannot read {}: has the process ended, or is it another user's?", path.string());
    return tl::unexpected(CPPC_ERR_SYSTEM);
  }
  return split_at_nul(text);
}

tl::expected<std::string, cppc_status> read_link(const std::filesystem::path& path) {
  std::error_code error;
  const auto target = std::filesystem::read_symlink(path, error);
  if (error) {
    spdlog::error("cannot read {}: {}", path.string(), error.message());
    return tl::unexpected(CPPC_ERR_SYSTEM);
  }
  return target.string();
}

/// What the rank has published for its replacement to know before that starts MPI (cppc/hooks.h), as settings: which
/// libraries it had opened, and that several of its threads call MPI. A rank that is a replacement itself was given
/// these. A rank that ends meanwhile is missed elsewhere.
std::vector<std::string> published(const std::filesystem::path& descriptors) {
  std::vector<std::string> settings;
  std::error_code ended;
  for (std::filesystem::directory_iterator one(descriptors, ended), end; !ended && one != end; one.increment(ended)) {
    std::error_code closed;
    const std::string target = std::filesystem::read_symlink(one->path(), closed).string();
    if (target.starts_with("/memfd:" CPPC_OPENED_LIBRARIES_FILE)) {
      settings.push_back(CPPC_OPENED_LIBRARIES "=" + process_file(one->path()));
    } else if (target.starts_with("/memfd:" CPPC_SEVERAL_THREADS_FILE)) {
      settings.emplace_back(CPPC_SEVERAL_THREADS "=1");
    }
  }
  return settings;
}

void put(std::vector<std::byte>& out, std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  out.insert(out.end(), bytes.begin(), bytes.end());
  out.push_back(std::byte{0});
}

}  // namespace

tl::expected<Recipe, cppc_status> Recipe::of(pid_t process) {
  const std::filesystem::path home = "/proc/" + std::to_string(process);
  auto program = read_link(home / "exe");
  auto directory = read_link(home / "cwd");
  auto arguments = read_strings(home / "cmdline");
  auto environment = read_strings(home / "environ");
  if (!program || !directory || !arguments || !environment) return tl::unexpected(CPPC_ERR_SYSTEM);
  auto id = program_id(home / "exe");
  if (!id) return tl::unexpected(id.error());
  for (std::string& one : published(home / "fd")) {
    std::erase_if(*environment, [&](const std::string& setting) { return same_name(setting, one); });
    environment->push_back(std::move(one));
  }
  return Recipe{*program, *id, *directory, *arguments, *environment};
}

std::vector<std::byte> Recipe::encode() const {
  // Strings of a process hold no NUL: the program, its id, the directory, the number of arguments, these, the
  // environment.
  std::vector<std::byte> out;
  put(out, program);
  put(out, identity);
  put(out, directory);
  put(out, std::to_string(arguments.size()));
  for (const auto& argument : arguments) put(out, argument);
  for (const auto& setting : environment) put(out, setting);
  return out;
}

tl::expected<Recipe, cppc_status> Recipe::decode(std::span<const std::byte> bytes) {
  if (bytes.empty() || bytes.back() != std::byte{0}) return tl::unexpected(CPPC_ERR_ARGUMENT);
  auto strings = split_at_nul({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (strings.size() < 4 || strings[3].empty() || strings[3].size() > 9 ||
      strings[3].find_first_not_of("0123456789") != std::string::npos)
    return tl::unexpected(CPPC_ERR_ARGUMENT);
  const auto number = static_cast<std::size_t>(std::stoul(strings[3]));
  if (number > strings.size() - 4) return tl::unexpected(CPPC_ERR_ARGUMENT);
  const auto first = strings.begin() + 4;
  const auto middle = first + static_cast<std::ptrdiff_t>(number);
  return Recipe{strings[0], strings[1], strings[2], {first, middle}, {middle, strings.end()}};
}

std::vector<std::string> Recipe::environment_for(std::span<const char* const> own, const std::string& extra) const {
  std::vector<std::string> result;
  std::copy_if(environment.begin(), environment.end(), std::back_inserter(result),
               [&](const std::string& setting) { return !belongs_to_launcher(setting) && !same_name(setting, extra); });
  std::copy_if(own.begin(), own.end(), std::back_inserter(result),
               [](const char* setting) { return belongs_to_launcher(setting); });
  result.push_back(extra);
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (auto& one : strings) result.push_back(one.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace cppc::migration
