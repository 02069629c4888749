/// Between cppc-launch, which mpirun starts for each node, and cppc-run: one JSON object a line, over cppc-run's launch
/// socket, whose path is in CPPC_LAUNCH.
///   cppc-launch: {"node":"node1","address":"10.0.0.1","port":4711}   where the node's daemon is told to connect to
///   cppc-run:    {"port":4712}                                       where it has to connect to instead
///   cppc-launch: {"status":255}                                      the remote shell has ended with an error
///   cppc-run:    {"exit":0}                                          how to end
#pragma once

namespace cppc::tools {

inline constexpr const char* launch_socket_variable = "CPPC_LAUNCH";
/// The job's key, for agents alone: neither remote shells nor programs get it, as many write down their environment.
inline constexpr const char* key_variable = "CPPC_KEY";
/// The remote shell to use, as in mpirun's parameter plm_rsh_agent.
inline constexpr const char* remote_shell_variable = "CPPC_REMOTE_SHELL";
/// In its place: the job of Slurm's whose steps daemons are to be.
inline constexpr const char* slurm_job_variable = "CPPC_SLURM_JOB";

}  // namespace cppc::tools
