/// `migrate status`: which jobs run, and where their ranks are.
#pragma once

#include "job_client.hpp"

namespace cppc::migrate {

/// For people.
std::string describe(const RunningJob& job);

}  // namespace cppc::migrate
