#include "mpirun_command.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace cppc::run {
namespace {

using Words = std::vector<std::string>;

const JobSettings settings{.job = "app-1",
                           .key = "secret",
                           .controller = "10.0.0.9:4711",
                           .extension = "/lib/libcppc-migration.so",
                           .agent = "/bin/cppc-agent",
                           .launch_agent = "/bin/cppc-launch",
                           .launch_socket = "/run/app-1.launch"};

Machine head_machine() {
  return {"head", [](const std::string& name) { return name == "head"; }, 4};
}

// With three nodes, and a way of its own to them.
class FakeManager : public ResourceManager {
 public:
  std::string name() const override { return "the job"; }
  const std::vector<AllocatedNode>& nodes() const override { return nodes_; }
  std::string id() const override { return "fake:17"; }
  std::string prefix() const override { return "FAKE_"; }
  Environment launch_settings() const override { return {{"CPPC_FAKE_JOB", "17"}}; }
  Release release(const std::string&, const std::string&, const std::stop_token&) override { return {}; }
  Release keep(const std::string&) const override { return {}; }

 private:
  std::vector<AllocatedNode> nodes_{{"node0", 2}, {"node1", 1}, {"node2", 1}};
};

Result<MpirunCommand> build(const std::string& line, const Environment& present = {},
                            const JobSettings& settings = run::settings, const ResourceManager* manager = nullptr) {
  std::istringstream stream(line);
  const std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
  const auto contexts = parse_command_line(words);
  EXPECT_TRUE(contexts.has_value());
  const auto allocation = allocate(*contexts, head_machine(), manager);
  EXPECT_TRUE(allocation.has_value());
  return build_mpirun_command(*contexts, *allocation, head_machine(), settings, present, manager);
}

std::string arguments(const std::string& line) {
  const auto command = build(line);
  EXPECT_TRUE(command.has_value()) << command.error();
  std::string joined;
  for (const std::string& word : command->arguments) joined += (joined.empty() ? "" : " ") + word;
  const auto shorten = [&](const std::string& words, const std::string& name) {
    for (auto at = joined.find(words); at != std::string::npos; at = joined.find(words))
      joined.replace(at, words.size(), name);
  };
  shorten("-x CPPC_JOB -x CPPC_CONTROLLER -x CPPC_EXTENSION", "VARIABLES");
  shorten("/bin/cppc-agent start", "START");
  return joined;
}

Environment environment(const std::string& line, const Environment& present = {}) {
  const auto command = build(line, present);
  EXPECT_TRUE(command.has_value()) << command.error();
  return command->environment;
}

std::string refusal(const std::string& line, const Environment& present = {}) {
  const auto command = build(line, present);
  EXPECT_FALSE(command.has_value());
  return command ? "" : command.error();
}

TEST(MpirunCommand, WishesOfTheEnvironmentReachRanksAndAgents) {
  const auto command = build("-H node0 -n 1 a", {{"CPPC_COMPRESS", "off"}, {"CPPC_OTHER", "1"}});
  ASSERT_TRUE(command);
  EXPECT_EQ(std::ranges::count(command->arguments, "CPPC_COMPRESS"), 2);
  EXPECT_EQ(std::ranges::count(command->arguments, "CPPC_OTHER"), 0);
  const auto chosen = build("-H node0 -n 1 -x CPPC_COMPRESS=on a", {{"CPPC_COMPRESS", "off"}});
  ASSERT_TRUE(chosen);
  EXPECT_EQ(std::ranges::count(chosen->arguments, "CPPC_COMPRESS"), 1);
  EXPECT_EQ(std::ranges::count(chosen->arguments, "CPPC_COMPRESS=on"), 1);
}

TEST(MpirunCommand, AnAgentOnThisMachineAlone) {
  EXPECT_EQ(arguments("-n 2 --default-hostfile /nonexistent ./app 7"),
            "mpirun -n 2 VARIABLES START ./app 7 : -n 1 VARIABLES -x CPPC_KEY /bin/cppc-agent head");
}

TEST(MpirunCommand, AnAgentOnEveryNodeSparesIncluded) {
  EXPECT_EQ(arguments("--host node0:2,node1:3 --tag-output -n 2 ./app"),
            "mpirun -n 2 --tag-output --host node0:2,node1:3 VARIABLES START ./app "
            ": -n 1 --host node0:2 VARIABLES -x CPPC_KEY /bin/cppc-agent node0 "
            ": -n 1 --host node1:3 VARIABLES -x CPPC_KEY /bin/cppc-agent node1");
}

/// As after a recovery of a job for which nobody has named nodes.
TEST(MpirunCommand, AnAgentIsNamedItsNodeWhereRanksHavePlaces) {
  const auto contexts = parse_command_line(Words{"--default-hostfile", "/nonexistent", "-n", "2", "./app"});
  auto allocation = allocate(*contexts, head_machine());
  ASSERT_TRUE(allocation) << allocation.error();
  allocation->places = {"head", "head"};
  const auto command = build_mpirun_command(*contexts, *allocation, head_machine(), run::settings, {}, nullptr);
  ASSERT_TRUE(command) << command.error();
  EXPECT_EQ(std::ranges::count(command->arguments, "--host"), 2) << "of the ranks and of the agent";
}

TEST(MpirunCommand, SeveralProgramsEachWithTheVariables) {
  EXPECT_EQ(arguments("-H node0 -np 1 -x A=1 a x : -H node1:4 -n 2 b"),
            "mpirun -n 1 -x A=1 --host node0:1 VARIABLES START a x : -n 2 --host node1:4 VARIABLES START b "
            ": -n 1 --host node0:1 VARIABLES -x CPPC_KEY /bin/cppc-agent node0 "
            ": -n 1 --host node1:4 VARIABLES -x CPPC_KEY /bin/cppc-agent node1");
}

// In place of what mpirun's options say.
TEST(MpirunCommand, RanksOfAJobThatHasRunBeforeGoWhereTheyAreToBe) {
  const auto contexts = parse_command_line(
      Words{"-H", "node0,node1", "--map-by", "node", "-n", "2", "a", ":", "--bind-to", "core", "-n", "1", "b"});
  ASSERT_TRUE(contexts.has_value());
  Allocation allocation{{{"node1", 2}, {"node7", 1}}, true, {}, {}, {"node7", "node1", "node1"}};
  const auto command = build_mpirun_command(*contexts, allocation, head_machine(), settings, {});
  ASSERT_TRUE(command.has_value()) << command.error();
  const Words& words = command->arguments;
  EXPECT_EQ(Words(words.begin(), words.begin() + 7),
            (Words{"mpirun", "--map-by", "seq", "-n", "2", "--host", "node7,node1"}));
  const auto second = std::ranges::find(words, "--bind-to");
  ASSERT_GE(words.end() - second, 4);
  EXPECT_EQ(Words(second, second + 4), (Words{"--bind-to", "core", "--host", "node1"}));
  EXPECT_EQ(std::ranges::count(words, "node"), 0);
}

TEST(MpirunCommand, TheAgentGoesToTheDirectoryAndFindsTheProgram) {
  EXPECT_EQ(arguments("--default-hostfile /nonexistent --wdir /data --path /opt/bin -n 1 app"),
            "mpirun -n 1 VARIABLES START --wdir /data --path /opt/bin app "
            ": -n 1 VARIABLES -x CPPC_KEY /bin/cppc-agent head");
}

TEST(MpirunCommand, ProgramsAloneGetWhatIsPreloaded) {
  JobSettings with = settings;
  with.preload = "/lib/libcppc.so";
  const auto command = build("-H node0 -n 1 a : -n 1 b", {}, with);
  ASSERT_TRUE(command) << command.error();
  const auto& words = command->arguments;
  EXPECT_EQ(std::ranges::count(words, "/lib/libcppc.so"), 2);
  for (const std::string program : {"a", "b"}) {
    const auto found = std::ranges::find(words, program);
    ASSERT_GE(found - words.begin(), 4);
    EXPECT_EQ(std::vector<std::string>(found - 4, found),
              (std::vector<std::string>{"/bin/cppc-agent", "start", "--preload", "/lib/libcppc.so"}));
  }
  EXPECT_FALSE(command->environment.contains("LD_PRELOAD"));
  with.preload = "/my lib/libcppc.so";
  const auto refused = build("-H node0 -n 1 a", {}, with);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().find("/my lib/libcppc.so"), std::string::npos) << refused.error();
}

TEST(MpirunCommand, SaysHowManyRanksMpirunWouldHaveStarted) {
  EXPECT_EQ(arguments("-H node0:2,node1:3 a").substr(0, 11), "mpirun -n 5");
  EXPECT_EQ(arguments("-n 0 -H node0:2 a").substr(0, 11), "mpirun -n 2");
  EXPECT_EQ(refusal("-H node0 a : -n 1 b"), "how many ranks of a? Say it with -n");
}

TEST(MpirunCommand, NoSecretOnTheCommandLine) {
  const auto command = build("-H node0 -n 1 a");
  for (const std::string& word : command->arguments) EXPECT_EQ(word.find("secret"), std::string::npos);
  EXPECT_EQ(command->environment.at("CPPC_KEY"), "secret");
  EXPECT_EQ(command->environment.at("CPPC_JOB"), "app-1");
  EXPECT_EQ(command->environment.at("CPPC_CONTROLLER"), "10.0.0.9:4711");
  EXPECT_EQ(command->environment.at("CPPC_EXTENSION"), "/lib/libcppc-migration.so");
}

TEST(MpirunCommand, ParametersThatMigrationNeeds) {
  const Environment with = environment("-H node0 -n 1 a");
  EXPECT_EQ(with.at("OMPI_MCA_async_mpi_finalize"), "1");
  EXPECT_EQ(with.at("OMPI_MCA_routed"), "direct");
  EXPECT_EQ(with.at("OMPI_MCA_plm_rsh_no_tree_spawn"), "1");
  EXPECT_EQ(with.at("OMPI_MCA_rmaps_base_oversubscribe"), "1");
  EXPECT_EQ(with.at("OMPI_MCA_plm_rsh_agent"), "/bin/cppc-launch");
  EXPECT_EQ(with.at("CPPC_LAUNCH"), "/run/app-1.launch");
  EXPECT_NE(refusal("--mca routed radix -H node0 -n 1 a").find("routed has to be direct, not radix"),
            std::string::npos);
  EXPECT_NE(refusal("-H node0 -n 1 a", {{"OMPI_MCA_plm", "slurm"}}).find("plm has to be rsh"), std::string::npos);
  EXPECT_TRUE(build("--mca routed direct -H node0 -n 1 a").has_value());
}

TEST(MpirunCommand, DefaultsGiveWayToTheUser) {
  EXPECT_EQ(environment("-n 1 -H node0 a").at("OMPI_MCA_mpi_yield_when_idle"), "1");
  EXPECT_EQ(environment("--mca mpi_yield_when_idle 0 -n 1 -H node0 a").count("OMPI_MCA_mpi_yield_when_idle"), 0u);
  EXPECT_EQ(environment("-n 1 -H node0 a", {{"OMPI_MCA_osc", "ucx"}}).count("OMPI_MCA_osc"), 0u);
}

TEST(MpirunCommand, NoBindingUnlessAskedFor) {
  constexpr const char* variable = "OMPI_MCA_hwloc_base_binding_policy";
  EXPECT_EQ(environment("-n 1 -H node0 --map-by node a").at(variable), "none");
  for (const char* option : {"--bind-to core", "--bind-to-socket", "--cpu-set 0", "--map-by slot:PE=2"}) {
    EXPECT_EQ(environment(std::string(option) + " -n 1 -H node0 a").count(variable), 0u) << option;
  }
}

TEST(MpirunCommand, TheUsersRemoteShellIsHandedOn) {
  EXPECT_EQ(environment("-H node0 -n 1 a").at("CPPC_REMOTE_SHELL"), "ssh : rsh");
  EXPECT_EQ(environment("-H node0 -n 1 a", {{"OMPI_MCA_plm_rsh_agent", "rsh"}}).at("CPPC_REMOTE_SHELL"), "rsh");
  EXPECT_EQ(environment("--mca plm_rsh_agent my-rsh -H node0 -n 1 a").at("CPPC_REMOTE_SHELL"), "my-rsh");
  EXPECT_EQ(arguments("--mca plm_rsh_agent my-rsh -H node0 -n 1 a").find("my-rsh"), std::string::npos);
}

TEST(MpirunCommand, InTheJobOfAResourceManager) {
  const FakeManager manager;
  const Environment present{{"FAKE_ID", "17"}, {"FAKE_NODES", "n[0-2]"}, {"HOME", "/"}};
  const auto command = build("a : -n 2 -H node2 b", present, settings, &manager);
  ASSERT_FALSE(command) << "several programs";
  const auto one = build("a", present, settings, &manager);
  ASSERT_TRUE(one) << one.error();
  EXPECT_EQ(Words(one->arguments.begin(), one->arguments.begin() + 5),
            (Words{"mpirun", "-n", "4", "--host", "node0:2,node1:1,node2:1"}));
  EXPECT_EQ(one->hidden, (Words{"FAKE_ID", "FAKE_NODES"}));
  EXPECT_EQ(one->environment.at("CPPC_KEPT_ENVIRONMENT"),
            "FAKE_\x1f"
            "FAKE_ID=17\x1f"
            "FAKE_NODES=n[0-2]");
  EXPECT_EQ(std::ranges::count(one->arguments, "CPPC_KEPT_ENVIRONMENT"), 1) << "agents do not need it";
  EXPECT_EQ(one->environment.at("CPPC_FAKE_JOB"), "17");
  EXPECT_EQ(one->environment.at("OMPI_MCA_orte_leave_session_attached"), "1");
  EXPECT_EQ(one->environment.at("OMPI_MCA_plm_rsh_num_concurrent"), "128");
  EXPECT_FALSE(one->environment.contains("CPPC_REMOTE_SHELL"));
}

TEST(MpirunCommand, TheUsersRemoteShellIsTakenThereToo) {
  const FakeManager manager;
  const auto command = build("--mca plm_rsh_agent my-rsh a", {}, settings, &manager);
  ASSERT_TRUE(command) << command.error();
  EXPECT_EQ(command->environment.at("CPPC_REMOTE_SHELL"), "my-rsh");
  EXPECT_FALSE(command->environment.contains("CPPC_FAKE_JOB"));
  EXPECT_FALSE(command->environment.contains("OMPI_MCA_orte_leave_session_attached"));
}

TEST(MpirunCommand, AListOfVariablesInTheEnvironmentIsRefused) {
  EXPECT_NE(refusal("-n 1 -H node0 a", {{"OMPI_MCA_mca_base_env_list", "A"}}).find("env_list"), std::string::npos);
}

}  // namespace
}  // namespace cppc::run
