/// The keepers of the job that cppc-run starts, or takes up.
#pragma once

#include <memory>
#include <string>

#include "mpirun_command.hpp"
#include "surroundings.hpp"

namespace cppc::run {

/// Reached as daemons are, but on this machine. Without --protect they wait for a relocation. `record`: of a job that
/// is taken up; none: it is a new one.
Result<std::unique_ptr<Keepers>> make_keepers(const Surroundings& around, const Allocation& allocation,
                                              const JobSettings& settings, const std::string& key,
                                              const ResumeRecord* record);

/// Takes up a job: its newest images, and the nodes that are left, to start it from.
Result<void> take_up(const Surroundings& around, const ResumeRecord& record, Allocation& allocation,
                     JobSettings& settings);

}  // namespace cppc::run
