/// What cppc-run makes of its own command line: mpirun's arguments and environment, with an agent on every node.
#pragma once

#include <string>
#include <vector>

#include "allocation.hpp"
#include "resource_manager/resource_manager.hpp"

namespace cppc::run {

/// Secret or long values that go to ranks and agents by their environment.
struct JobSettings {
  std::string job;           ///< CPPC_JOB
  std::string key;           ///< CPPC_KEY
  std::string controller;    ///< CPPC_CONTROLLER: "address:port,..."
  std::string extension;     ///< CPPC_EXTENSION: path of libcppc-migration.so
  std::string agent;         ///< path of cppc-agent
  std::string launch_agent;  ///< path of cppc-launch
  std::string keeper;        ///< path of cppc-keeper
  std::string launch_socket;
  std::string restart;           ///< the checkpoint that ranks go on from; empty: they begin
  bool several_threads = false;  ///< these call MPI with several threads at the same time
  std::string preload;           ///< path of libcppc.so, for programs that are not linked with it; empty: all are
};

struct MpirunCommand {
  std::vector<std::string> arguments;  ///< arguments[0] is "mpirun"
  Environment environment;             ///< to be added to this process's own
  std::vector<std::string> hidden;     ///< variables of this process's own that mpirun must not see
};

/// `present` is this process's environment: what users set there, they have chosen. `manager`: none or the one that the
/// allocation is from.
Result<MpirunCommand> build_mpirun_command(std::span<const Context> contexts, const Allocation& allocation,
                                           const Machine& machine, const JobSettings& settings,
                                           const Environment& present, const ResourceManager* manager = nullptr);

/// The remote shells to reach nodes with, the first that is there: "ssh : rsh".
std::string remote_shells(std::span<const Context> contexts, const Environment& present);

}  // namespace cppc::run
