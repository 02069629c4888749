/// How a program under an extension ends when it asks for what cannot be migrated.
#pragma once

#include <string_view>

namespace cppc::mpi {

/// Logs `message` and ends the whole job.
[[noreturn]] void abort_job(std::string_view message);

/// `what`, a function for instance, is not supported: says so, and ends the whole job.
[[noreturn]] void refuse(const char* what);

}  // namespace cppc::mpi
