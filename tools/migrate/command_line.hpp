/// What migrate is told by its options.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "exit.hpp"
#include "job_client.hpp"
#include "migration_request.hpp"
#include "route.hpp"

namespace cppc::migrate {

struct Command {
  bool status = false;
  std::optional<std::uint64_t> traced;  ///< a migration whose trace is wanted
  std::string job;                      ///< empty: whichever there is
  bool all_jobs = false;                ///< of everybody, elsewhere too
  Request request;
  Deadline deadline;
};

/// Says why nothing is done, as JSON too if that is asked for; the exit status.
int fail(const Command& command, Exit how, const std::string& reason);

class CommandLine {
 public:
  CommandLine();

  /// The exit status, when there is nothing to do, or nothing that can be done.
  std::optional<int> parse(int argc, char** argv);

  [[nodiscard]] const Command& command() const { return command_; }
  /// Whether a job elsewhere is meant.
  [[nodiscard]] bool server() const { return static_cast<bool>(*server_); }
  [[nodiscard]] const RemoteJob& remote() const { return remote_; }

 private:
  void add_subcommands();
  void add_moves();
  void add_manner();
  void add_access();
  void exclude();
  void check() const;
  std::optional<int> complete();

  Command command_;
  RemoteJob remote_;
  std::string checkpoint_directory_, image_directory_;
  bool by_munge_ = false;

  CLI::App app_;
  CLI::App *status_, *trace_, *checkpoint_;
  CLI::Option* checkpoint_to_;
  CLI::Option *rank_, *evacuate_, *to_, *avoid_, *add_, *restore_, *images_;
  CLI::Option *dry_run_, *keep_node_, *timeout_, *all_jobs_, *why_, *job_;
  CLI::Option *server_, *authority_, *token_, *munge_;
};

}  // namespace cppc::migrate
