/// Who besides a job's owner may move its ranks: what the site says in a file that only root writes, and, as far as
/// that lets him, the owner.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <set>
#include <string>

#include "../common/result.hpp"

namespace cppc::run {

using tools::Result;

/// The file, as it is in /etc/cppc/site.toml:
///
///   [operators]
///   users = ["alice", "slurm"]   # may move the ranks of everybody's jobs; root always may
///   [owners]
///   may_refuse = true            # cppc-run --site-moves never
///   may_set_window = true        # cppc-run --site-moves 18:00-06:00
struct Site {
  std::set<uid_t> operators;
  bool owners_may_refuse = false;
  bool owners_may_set_window = false;
};

inline constexpr const char* site_file = "/etc/cppc/site.toml";

/// Without a file: nobody is an operator, and owners may neither. An error when others than root, or than this
/// process's user, could have written it, or when something in it is not understood.
Result<Site> read_site(const std::filesystem::path& file);

/// When others than the owner may move the ranks of a job.
class SiteMoves {
 public:
  SiteMoves() = default;  ///< always

  /// "never", or the time of day between which and which they may, on this machine's clock: "18:00-06:00". An error
  /// when the site does not let owners say that.
  static Result<SiteMoves> parse(const std::string& text, const Site& site);

  /// Why they may not at this time of day; empty: they may.
  std::string refusal(std::chrono::minutes time_of_day) const;

 private:
  bool never_ = false;
  std::chrono::minutes from_{0}, to_{0};  ///< equal: at all times
};

/// Since midnight, by this machine's clock.
std::chrono::minutes time_of_day();

}  // namespace cppc::run
