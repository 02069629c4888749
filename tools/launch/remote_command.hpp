/// What mpirun wants to be run on a node, and by which remote shell.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cppc::launch {

/// Where mpirun listens, as it says in "…;tcp://10.0.0.1,10.1.0.1:4711;tcp6://[fe80::1]:4712".
struct Contact {
  std::string address;  ///< the first one
  std::uint16_t port = 0;
};

/// From the arguments that start a node's daemon; none when they do not say.
std::optional<Contact> find_contact(std::span<const std::string> arguments);

/// The same arguments, with `port` for every port at which mpirun listens: addresses stay, so that the node finds the
/// same machine.
std::vector<std::string> with_port(std::vector<std::string> arguments, std::uint16_t port);

/// The command that starts a remote shell, from a list such as "ssh -q : rsh": the first of those that are in $PATH,
/// with X11 forwarding off for ssh unless the list says how it is to be. Empty when there is none.
std::vector<std::string> find_remote_shell(const std::string& list);

/// The command that runs the words of `command`, joined, in this user's shell on `node`, as a step of its own of a job
/// of Slurm's: if all daemons were one step, the loss of one node would end all.
/// `name` is the step's.
std::vector<std::string> step_command(const std::string& job, const std::string& name, const std::string& node,
                                      const std::vector<std::string>& command);

/// Whether a variable of mpirun's environment is not for a step's: those that mpirun and cppc-run have set for
/// themselves. What users have set of them mpirun puts into the daemon's command.
bool is_mpiruns_own(const std::string& variable);

}  // namespace cppc::launch
