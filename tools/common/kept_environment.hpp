/// Variables of a resource manager on their way past mpirun, which would act on them, to the programs of the job.
#pragma once

#include "command.hpp"

namespace cppc::tools {

/// In this variable cppc-run hands them to `cppc-agent start`.
inline constexpr const char* kept_environment_variable = "CPPC_KEPT_ENVIRONMENT";

/// The variables of `environment` whose names begin with `prefix`, as one text. An error when a value cannot be in it.
Result<std::string> keep_environment(const std::string& prefix, const Environment& environment);

/// Gives this process the variables of `text`, and takes all others that begin with the same prefix out.
void restore_environment(const std::string& text);

}  // namespace cppc::tools
