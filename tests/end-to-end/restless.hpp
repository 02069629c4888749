/// A job whose ranks move again and again while it works, at steps and to nodes chosen at random. When they move does
/// not depend on timing: the program holds at those steps (--hold) until a migration has begun.
#pragma once

#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "job.hpp"

namespace cppc::test {

/// A program of tests/apps and how long it works.
struct Program {
  std::string name;
  std::vector<std::string> arguments;
  std::string lasting;  ///< the option that says how long it works, "--steps" or "--repeat"
  int unit;             ///< its value for each migration
  int steps;            ///< as --hold-at counts them, for each migration
};

/// The arguments for a run that is long enough.
std::vector<std::string> lasting(const Program& program, int migrations);

constexpr int kRanks = 4;
constexpr int kNodes = 3;

class RestlessJob {
 public:
  /// Starts `command`, a run of the program that is long enough, on a cluster of kNodes nodes. `folder` is for the file
  /// that lets it go on; `options` are cppc-run's own.
  RestlessJob(const Cluster& cluster, const Folder& folder, const Program& program,
              const std::vector<std::string>& command, int migrations, unsigned seed,
              const std::vector<std::string>& options = {});

  /// Moves ranks, every one once before one moves again, and waits for the program's end.
  Finished run();

  /// Migrations that were done, and what was wrong with others.
  [[nodiscard]] int done() const { return done_; }
  [[nodiscard]] const std::set<int>& moved() const { return moved_; }
  [[nodiscard]] const std::string& problems() const { return problems_; }

 private:
  [[nodiscard]] int number(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }
  [[nodiscard]] std::vector<std::string> holding(const Program& program, std::vector<std::string> command,
                                                 int migrations);
  [[nodiscard]] bool holds();
  void let_go();
  void start_migration();
  void finish_migration();
  [[nodiscard]] bool migration_ends_soon();
  void go_on();

  const Cluster* cluster_;
  int migrations_;
  std::string go_on_file_;
  std::mt19937 random_;
  Job job_;
  std::vector<int> nodes_;  ///< of the ranks
  std::vector<int> turn_;   ///< ranks that are to move before the others move again
  std::optional<Process> migration_;
  int rank_ = 0, target_ = 0;  ///< of the migration
  int begun_at_ = 0;           ///< the hold, as released_ counts them
  int released_ = 0;           ///< holds so far
  int done_ = 0;
  std::set<int> moved_;
  std::string problems_;
};

/// What a program printed on standard output, without what it said about holding.
std::string answer(const Finished& finished);

}  // namespace cppc::test
