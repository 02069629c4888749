#include <gtest/gtest.h>

#include "launch_server.hpp"
#include "process.hpp"
#include "remote_command.hpp"
#include "running_loop.hpp"
#include "socket.hpp"
#include "temporary_directory.hpp"

namespace cppc::launch {
namespace {

using Words = std::vector<std::string>;
using test::Finished;
using test::Socket;

const Words daemon_command{" orted",
                           "-mca",
                           "orte_hnp_uri",
                           "\"31295.0;tcp://10.77.0.254,192.168.1.1:50859;tcp6://[fe80::1,fd00::2]:50860\"",
                           "-mca",
                           "orte_parent_uri",
                           "\"31295.0;tcp://10.77.0.254,192.168.1.1:50859\"",
                           "-mca",
                           "tcp://x",
                           "tcp://10.0.0.1:nonsense"};

TEST(RemoteCommand, FindsWhereMpirunListens) {
  const auto contact = find_contact(daemon_command);
  ASSERT_TRUE(contact.has_value());
  EXPECT_EQ(contact->address, "10.77.0.254");
  EXPECT_EQ(contact->port, 50859);
  const auto v6 = find_contact(Words{"orted", "1.0;tcp6://[fe80::1,fd00::2]:4711"});
  ASSERT_TRUE(v6.has_value());
  EXPECT_EQ(v6->address, "fe80::1");
  EXPECT_EQ(v6->port, 4711);
  EXPECT_FALSE(find_contact(Words{"orted", "tcp://nowhere", "tcp://10.0.0.1:99999999"}).has_value());
}

TEST(RemoteCommand, ReplacesThePortAndNothingElse) {
  const Words changed = with_port(daemon_command, 7);
  Words expected = daemon_command;
  expected[3] = "\"31295.0;tcp://10.77.0.254,192.168.1.1:7;tcp6://[fe80::1,fd00::2]:7\"";
  expected[6] = "\"31295.0;tcp://10.77.0.254,192.168.1.1:7\"";
  EXPECT_EQ(changed, expected);
}

TEST(RemoteCommand, TheFirstShellThatIsThere) {
  EXPECT_EQ(find_remote_shell("no-such-shell : sh -x : cat"), (Words{"sh", "-x"}));
  EXPECT_EQ(find_remote_shell("/bin/sh"), (Words{"/bin/sh"}));
  EXPECT_EQ(find_remote_shell("no-such-shell : /bin/no-such-shell"), Words{});
}

TEST(RemoteCommand, AShellThatCannotBeSeenIsPassedOver) {
  const test::TemporaryDirectory directory;
  std::filesystem::create_symlink("loop", directory.path() + "/loop");
  EXPECT_EQ(find_remote_shell(directory.path() + "/loop/ssh : /bin/sh"), (Words{"/bin/sh"}));
}

TEST(RemoteCommand, SshDoesNotForwardX11UnlessAskedTo) {
  const test::TemporaryDirectory directory;
  const std::string ssh = directory.script("ssh", "");
  EXPECT_EQ(find_remote_shell(ssh), (Words{ssh, "-x"}));
  EXPECT_EQ(find_remote_shell(ssh + " -X -q"), (Words{ssh, "-X", "-q"}));
}

// The program itself, with a remote shell that only says how it was called.
class CppcLaunch : public testing::Test {
 protected:
  CppcLaunch() {
    running_.call([this] {
      relay_ = std::make_unique<run::Relay>(running_.context(), tools::usual_silence,
                                            [](const std::string&, bool) { return false; });
      server_ = run::LaunchServer::create(running_.context(), *relay_, socket_).value();
      return 0;
    });
  }
  ~CppcLaunch() override {
    running_.call([this] { return server_.reset(), relay_.reset(), 0; });
  }

  Finished launch(const std::string& node, const std::string& script) {
    const std::string shell = directory_.script("shell", script);
    return test::Process({CPPC_LAUNCH_PROGRAM, node, "orted", "-mca", "orte_hnp_uri",
                          "\"1.0;tcp://127.0.0.1:" + std::to_string(mpirun_.port()) + "\"", "two words"},
                         {"CPPC_LAUNCH=" + socket_, "CPPC_REMOTE_SHELL=" + shell + " -q", "CPPC_KEY=secret"})
        .wait();
  }

  test::RunningLoop running_;
  test::TemporaryDirectory directory_;
  test::TcpListener mpirun_;
  const std::string socket_ = directory_.path() + "/launch";
  std::unique_ptr<run::Relay> relay_;
  std::unique_ptr<run::LaunchServer> server_;
};

TEST_F(CppcLaunch, CallsTheRemoteShellWithAPortThatLeadsToMpirun) {
  const Finished finished = launch("node1", R"(printf '<%s>' "$@")");
  EXPECT_EQ(finished.status, 0) << finished.errors;
  const std::string before = "<-q><node1><orted><-mca><orte_hnp_uri><\"1.0;tcp://127.0.0.1:";
  ASSERT_EQ(finished.output.substr(0, before.size()), before);
  const int port = std::stoi(finished.output.substr(before.size()));
  EXPECT_NE(port, mpirun_.port());
  EXPECT_EQ(finished.output.substr(before.size() + std::to_string(port).size()), "\"><two words>");
  Socket daemon = Socket::connect_tcp(static_cast<std::uint16_t>(port));
  daemon.send("hello");
  EXPECT_EQ(mpirun_.accept().receive(5), "hello");
}

TEST_F(CppcLaunch, TheRemoteShellDoesNotGetTheJobsKey) {
  const Finished finished = launch("node1", "env");
  EXPECT_NE(finished.output.find("CPPC_REMOTE_SHELL="), std::string::npos) << finished.output;
  EXPECT_EQ(finished.output.find("CPPC_KEY"), std::string::npos) << finished.output;
}

TEST_F(CppcLaunch, InAnAllocationOfSlurmsTheDaemonIsAStep) {
  directory_.script("srun", R"(printf '<%s>' "$@"; echo; env)");
  const Finished finished =
      test::Process({"env", "PATH=" + directory_.path() + ":/usr/bin:/bin", CPPC_LAUNCH_PROGRAM, "node1",
                     "PATH=/x:$PATH ;", "orted", "\"1.0;tcp://127.0.0.1:1\""},
                    {"CPPC_LAUNCH=" + socket_, "CPPC_SLURM_JOB=17", "CPPC_JOB=app-1", "CPPC_KEY=secret",
                     "OMPI_MCA_plm=rsh", "PMIX_SERVER=1", "LD_LIBRARY_PATH=/modules"})
          .wait();
  EXPECT_EQ(finished.status, 0) << finished.errors;
  for (const char* word :
       {"<--jobid=17>", "<--job-name=app-1>", "<--overlap>", "<--nodelist=node1>", "<--nodes=1>", "<--no-kill>",
        "<--mpi=none>", "<-c><PATH=/x:$PATH ; orted \"1.0;tcp://127.0.0.1:", "LD_LIBRARY_PATH=/modules\n"})
    EXPECT_NE(finished.output.find(word), std::string::npos) << word << finished.output;
  for (const char* word : {"CPPC_", "OMPI_", "PMIX_"})
    EXPECT_EQ(finished.output.find(std::string("\n") + word), std::string::npos) << word << finished.output;
}

TEST_F(CppcLaunch, EndsAsTheRemoteShellDoes) {
  EXPECT_EQ(launch("node0", "exit 0").status, 0);
  EXPECT_EQ(launch("node1", "exit 255").status, 255);
  EXPECT_EQ(launch("node2", "kill -9 $$").status, 137);
}

TEST_F(CppcLaunch, KeepsTheLossOfAnEvacuatedNodeToItself) {
  const std::string off = directory_.path() + "/off";
  const std::string shell =
      directory_.script("shell", "echo connected; until test -e " + off + "; do sleep 0.01; done; exit 255");
  test::Process launch({CPPC_LAUNCH_PROGRAM, "node1", "orted", "\"1.0;tcp://127.0.0.1:1\""},
                       {"CPPC_LAUNCH=" + socket_, "CPPC_REMOTE_SHELL=" + shell});
  while (launch.output().empty()) std::this_thread::yield();
  running_.call([this] { return relay_->evacuated("node1"), 0; });
  directory_.write("off", "");
  EXPECT_EQ(launch.wait().status, 0);
}

TEST_F(CppcLaunch, SaysWhatIsWrong) {
  const auto fails = [](const Words& command, const Words& environment, const std::string& why) {
    const Finished finished = test::Process(command, environment).wait();
    EXPECT_EQ(finished.status, 255);
    EXPECT_NE(finished.errors.find(why), std::string::npos) << finished.errors;
  };
  const std::string daemon = "1.0;tcp://127.0.0.1:1";
  const std::string socket = "CPPC_LAUNCH=" + socket_;
  fails({CPPC_LAUNCH_PROGRAM}, {}, "a host and a command are needed");
  fails({CPPC_LAUNCH_PROGRAM, "node0", daemon}, {}, "not called by an mpirun");
  fails({CPPC_LAUNCH_PROGRAM, "node0", daemon}, {socket, "CPPC_REMOTE_SHELL=no-such-shell"}, "no-such-shell");
  fails({CPPC_LAUNCH_PROGRAM, "node0", "orted"}, {socket, "CPPC_REMOTE_SHELL=sh"}, "does not say where");
  fails({CPPC_LAUNCH_PROGRAM, "node0", daemon}, {"CPPC_LAUNCH=/nonexistent", "CPPC_REMOTE_SHELL=sh"},
        "cannot reach cppc-run");
  EXPECT_EQ(test::Process({CPPC_LAUNCH_PROGRAM, "--help"}).wait().status, 0);
}

TEST_F(CppcLaunch, TheServerClosesOnNonsense) {
  for (const char* nonsense : {"\n", "{}\n", "{\"status\":1}\n", "{\"node\":1,\"address\":\"a\",\"port\":1}\n",
                               "{\"node\":\"n\",\"address\":\"a\",\"port\":65536}\n", "[\n"}) {
    Socket socket = Socket::connect_unix(socket_);
    socket.send(nonsense);
    EXPECT_TRUE(socket.closed()) << nonsense;
  }
}

}  // namespace
}  // namespace cppc::launch
