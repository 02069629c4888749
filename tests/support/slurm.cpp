#include "slurm.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace cppc::test {
namespace {

const std::string kSlurmScript = CPPC_SOURCE_DIR "/tests/cluster/slurm";
constexpr int kCannot = 77;  // exit status of that

uid_t number_of(const std::string& user) { return user == "user1" ? 60101 : 60102; }  // as in tests/cluster/slurm

void expect_started(const Finished& up) {
  if (up.status == 0) return;
  std::fprintf(stderr, "Slurm does not start on an emulated cluster: %s\n", up.errors.c_str());
  std::exit(1);
}

}  // namespace

Slurm::Slurm(int nodes) : cluster_(nodes) {
  const Finished up = test::run({kSlurmScript, "up", "--name", cluster_.name()});
  up.status == kCannot ? void(absence_ = up.errors) : expect_started(up);
}

void Slurm::start_daemons(const std::string& node) const {
  expect_started(test::run({kSlurmScript, "up", node, "--name", cluster_.name()}));
}

Process Slurm::start(const std::string& user, const std::string& node, const std::vector<std::string>& command) const {
  std::vector<std::string> whole{kSlurmScript, "as", user, node, "--name", cluster_.name(), "--"};
  whole.insert(whole.end(), command.begin(), command.end());
  return Process(whole);
}

Finished Slurm::run(const std::string& user, const std::string& node, const std::vector<std::string>& command) const {
  return start(user, node, command).wait();
}

void give_to(const Folder& folder, const std::string& user) {
  const std::string path = folder.file("");
  if (chown(path.c_str(), number_of(user), number_of(user)) != 0) std::perror("chown");
  std::filesystem::permissions(path, std::filesystem::perms(0755));
}

}  // namespace cppc::test
