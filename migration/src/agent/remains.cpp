#include "remains.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <system_error>

namespace cppc::migration {
namespace {

/// A number of Open MPI's for a job has that of its family in front.
constexpr int kFamilyShift = 16;

std::optional<int> family_of(std::string_view job, int base) {
  std::uint32_t number = 0;
  const auto [end, failure] = std::from_chars(job.data(), job.data() + job.size(), number, base);
  if (failure != std::errc() || end != job.data() + job.size()) return std::nullopt;
  return static_cast<int>(number >> kFamilyShift);
}

/// The mpirun whose ranks have shared memory in a file of this name: vader_segment.NODE.USER.JOB.RANK.
std::optional<int> mpirun_of(const std::string& file) {
  static const std::regex form(R"(vader_segment\..*\.(\d+)\.([0-9a-f]{1,8})\.\d+)");
  std::smatch parts;
  if (!std::regex_match(file, parts, form) || parts.str(1) != std::to_string(geteuid())) return std::nullopt;
  return family_of(parts.str(2), 16);
}

}  // namespace

int own_mpirun() {
  const char* job = std::getenv("PMIX_NAMESPACE");
  return job == nullptr ? 0 : family_of(job, 10).value_or(0);
}

void remove_remains(std::span<const int> mpiruns, const std::filesystem::path& directory) {
  std::error_code failure;
  for (std::filesystem::directory_iterator entry(directory, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const auto mpirun = mpirun_of(entry->path().filename().string());
    if (!mpirun || std::ranges::find(mpiruns, *mpirun) == mpiruns.end()) continue;
    std::error_code kept;
    std::filesystem::remove(entry->path(), kept);
    if (kept)
      spdlog::warn("{}, which is left of an earlier start of the job, stays: {}", entry->path().string(),
                   kept.message());
  }
  if (failure)
    spdlog::warn("{} cannot be searched for what earlier starts of the job have left: {}", directory.string(),
                 failure.message());
}

}  // namespace cppc::migration
