/// Where a user's running jobs are found: the directory with a UNIX socket per job, $XDG_RUNTIME_DIR/cppc, or
/// /tmp/cppc-<uid> when that variable is not set. Nobody else can enter it.
#pragma once

#include <sys/types.h>
#include <sys/un.h>

#include <filesystem>
#include <string>
#include <vector>

#include "result.hpp"

namespace cppc::tools {

/// Makes it if need be. An error when it belongs to someone else or others may enter it.
Result<std::filesystem::path> job_directory();

/// That of a user in whose environment XDG_RUNTIME_DIR is `runtime`; empty: it is not set.
std::filesystem::path job_directory_of(uid_t user, const std::string& runtime);

/// An error unless it is a directory of `user` that nobody else may enter.
Result<void> check_job_directory(const std::filesystem::path& path, uid_t user);

/// The socket on which cppc-run serves the interface of job `job`.
std::filesystem::path api_socket(const std::filesystem::path& directory, const std::string& job);

/// The socket on which cppc-run answers the launch agents of job `job`.
std::filesystem::path launch_socket(const std::filesystem::path& directory, const std::string& job);

/// The jobs that have a socket here, by names that cppc-run gives; some may have ended without a chance to remove it.
std::vector<std::string> jobs_in(const std::filesystem::path& directory);

/// An error when the path is too long for a socket.
Result<sockaddr_un> socket_address(const std::filesystem::path& path);

}  // namespace cppc::tools
