#include "rank_processes.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "process_files.hpp"

namespace cppc::migration {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// None is seen for so long: they have ended, or the daemon would have started them by now.
constexpr auto kStart = 5s, kEnd = 1s;

/// The value of a variable.
std::optional<std::string> value_in(const std::vector<std::string>& environment, const std::string& name) {
  for (const std::string& setting : environment)
    if (setting.starts_with(name + '=')) return setting.substr(name.size() + 1);
  return std::nullopt;
}

bool is_number(const std::string& name) { return name.find_first_not_of("0123456789") == std::string::npos; }

/// Those of ranks of this job, with their numbers in Open MPI. `visit` says whether to go on.
void for_each_rank(const std::function<bool(const fs::path& process, const std::string& rank)>& visit) {
  const char* const job = std::getenv("PMIX_NAMESPACE");
  const char* const own = std::getenv("PMIX_RANK");
  if (job == nullptr || own == nullptr) return;
  std::error_code ended;
  for (fs::directory_iterator one("/proc", ended), end; !ended && one != end; one.increment(ended)) {
    if (!is_number(one->path().filename())) continue;
    const auto environment = split_at_nul(process_file(one->path() / "environ"));
    const auto rank = value_in(environment, "PMIX_RANK");
    if (rank && *rank != own && value_in(environment, "PMIX_NAMESPACE") == job && !visit(one->path(), *rank)) return;
  }
}

}  // namespace

std::optional<std::string> program_without_libcppc() {
  std::set<std::string> with_libcppc;
  std::vector<std::pair<std::string, std::string>> others;  // numbers, and programs
  for_each_rank([&](const fs::path& process, const std::string& rank) {
    const std::string maps = process_file(process / "maps");
    std::error_code ended;
    if (maps.find("/libcppc.so") != std::string::npos)
      with_libcppc.insert(rank);
    else if (maps.find("/libmpi.so") != std::string::npos && !fs::equivalent(process / "exe", "/proc/self/exe", ended))
      others.emplace_back(rank, fs::read_symlink(process / "exe", ended));
    return true;
  });
  const auto other = std::ranges::find_if(others, [&](const auto& one) { return !with_libcppc.contains(one.first); });
  return other == others.end() ? std::nullopt : std::optional(other->second);
}

RankWatch::RankWatch() : last_(std::chrono::steady_clock::now()) {
  const char* const processes = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  has_ranks_ = processes != nullptr && std::string_view(processes) != "1";
}

bool RankWatch::all_have_ended() {
  bool there = false;
  if (has_ranks_)
    for_each_rank([&](const fs::path& /*process*/, const std::string& /*rank*/) {
      there = true;
      return false;
    });
  const auto now = std::chrono::steady_clock::now();
  if (there) last_ = now;
  seen_ = seen_ || there;
  return has_ranks_ && now - last_ > (seen_ ? kEnd : kStart);
}

}  // namespace cppc::migration
