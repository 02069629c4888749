#include "resource_manager.hpp"

namespace cppc::run {

using tools::error;

std::string_view text(Release::State state) {
  switch (state) {
    case Release::State::released:
      return "released";
    case Release::State::kept:
      return "kept";
    case Release::State::batch_host:
      return "batch-host";
    case Release::State::no_second:
      return "no-second-release";
  }
  return "";
}

Result<std::unique_ptr<ResourceManager>> find_resource_manager(const Environment& present, const Machine& machine) {
  if (present.contains("SLURM_JOB_ID") || present.contains("SLURM_JOBID")) return join_slurm(present, machine);
  if (present.contains("PBS_NODEFILE")) return join_pbs(present, machine);
  for (const char* name : {"PE_HOSTFILE", "LSB_JOBID"}) {
    if (present.contains(name))
      return error(std::string("this is a job of a resource manager that cppc-run does not know (") + name +
                   " is set): Slurm and PBS are those it knows");
  }
  return nullptr;
}

}  // namespace cppc::run
