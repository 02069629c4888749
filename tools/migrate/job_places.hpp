/// Where the sockets of running jobs are: each cppc-run chooses by its own environment.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "../common/result.hpp"

namespace cppc::migrate {

using tools::Result;

/// A cppc-run that is at work on this machine.
struct Runner {
  pid_t process = 0;      ///< as this process sees it
  pid_t own_process = 0;  ///< as it sees itself
  uid_t user = 0;
};

struct JobPlace {
  std::filesystem::path directory;
  uid_t user = 0;
};

struct JobPlaces {
  std::vector<JobPlace> places;  ///< that exist and belong to their users alone
  std::vector<Runner> runners;
};

/// Those of the caller; with `everybody`, which needs root, of all users. Looked for are the processes that run
/// cppc-run in this network, where the nodes' names mean the same; when CPPC_JOB_DIRECTORIES is set ("DIR:DIR"), only
/// the directories that it names, without asking which processes there are. An error when the caller's own directory is
/// not the caller's alone.
Result<JobPlaces> job_places(bool everybody);

/// Whether this process still is a cppc-run.
bool is_at_work(const Runner& runner);

/// Whether it was started so short a time ago that it need not listen yet.
bool may_be_starting(const Runner& runner);

}  // namespace cppc::migrate
