/// cppc-run itself, with an mpirun that is a script of the test.
#include <gtest/gtest.h>
#include <signal.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <thread>

#include "certificate.hpp"
#include "fake_agents.hpp"
#include "process.hpp"
#include "temporary_directory.hpp"

namespace cppc::run {
namespace {

namespace fs = std::filesystem;
using test::Finished;
using test::Process;
using Words = std::vector<std::string>;

class CppcRun : public testing::Test {
 protected:
  // An installation of its own, whose agent and extension are there but never used.
  CppcRun() {
    fs::create_directories(bin_);
    fs::create_directories(fs::path(bin_) / CPPC_LIBRARIES_FROM_PROGRAMS);
    fs::copy_file(CPPC_RUN_PROGRAM, bin_ + "/cppc-run");
    directory_.script("installed/bin/cppc-agent", "exit 1");
    directory_.script("installed/bin/cppc-launch", "exit 1");
    directory_.script("installed/bin/cppc-keeper", "exit 1");
    directory_.write("installed/bin/" CPPC_LIBRARIES_FROM_PROGRAMS "/libcppc-migration.so", "");
    directory_.script("app", "exit 1");
    mpirun("exit 1");
  }

  void mpirun(const std::string& commands) { directory_.script("mpirun", commands); }
  Words environment() const {
    return {"XDG_RUNTIME_DIR=" + directory_.path(), "CPPC_JOB_DIRECTORIES=" + directory_.path() + "/cppc",
            "PATH=" + directory_.path() + ":" + std::getenv("PATH")};
  }
  Words command(Words arguments) const {
    arguments.insert(arguments.begin(), bin_ + "/cppc-run");
    return arguments;
  }
  Process start(const Words& arguments) const { return Process(command(arguments), environment()); }
  Finished run(const Words& arguments) const { return start(arguments).wait(); }
  // A shell takes the last of several settings of a variable, which is the test's own.
  std::string with_path(const std::string& commands) const {
    return "PATH=" + directory_.path() + ":$PATH; " + commands;
  }
  std::string app() const { return directory_.path() + "/app"; }
  std::string file(const std::string& name) const { return directory_.path() + "/" + name; }

  static void await(Process& process, const std::string& text) {
    while (process.output().find(text) == std::string::npos && process.running()) std::this_thread::yield();
    ASSERT_NE(process.output().find(text), std::string::npos) << process.errors();
  }

  test::TemporaryDirectory directory_;
  const std::string bin_ = directory_.path() + "/installed/bin";
};

// Counts the signals it gets, and ends some time after the first.
constexpr const char* count_signals = R"(n=0
for s in HUP INT QUIT TERM USR1 USR2; do trap "n=\$((n+1)); last=$s" $s; done
echo ready
while test $n = 0; do sleep 0.02; done
sleep 0.5
echo $last $n times
exit 9)";

TEST_F(CppcRun, ExitStatusInputAndOutputAreThoseOfMpirun) {
  for (const auto& [commands, status] :
       std::vector<std::pair<std::string, int>>{{"exit 0", 0}, {"exit 3", 3}, {"exit 255", 255}, {"kill -9 $$", 137}}) {
    mpirun("echo out; echo err >&2; " + commands);
    const Finished finished = run({"-n", "2", app()});
    EXPECT_EQ(finished.status, status);
    EXPECT_EQ(finished.output, "out\n");
    EXPECT_EQ(finished.errors, "err\n");
  }
  mpirun("cat");
  Process piped({"sh", "-c", with_path("echo input | " + bin_ + "/cppc-run -n 2 " + app())}, environment());
  EXPECT_EQ(piped.wait().output, "input\n");
}

TEST_F(CppcRun, StartsMpirunWithAgentsAndWhatTheyNeedToKnow) {
  mpirun(R"(printf "%s " "$@"; echo; env | grep CPPC_; ls "$XDG_RUNTIME_DIR/cppc")");
  const Finished finished = run({"--host", "node0:2,node1:2", "-n", "3", app(), "7"});
  const std::string variables = " -x CPPC_JOB -x CPPC_CONTROLLER -x CPPC_EXTENSION ";
  EXPECT_NE(finished.output.find("-n 3 --host node0:2,node1:2" + variables + bin_ + "/cppc-agent start " + app() +
                                 " 7 : -n 1 --host node0:2" + variables + "-x CPPC_KEY " + bin_ +
                                 "/cppc-agent node0 : -n 1 --host node1:2" + variables + "-x CPPC_KEY " + bin_ +
                                 "/cppc-agent node1 \n"),
            std::string::npos)
      << finished.output;
  for (const char* line : {"CPPC_KEY=[0-9a-f]{64}\n", "CPPC_JOB=app-[0-9a-f]{8}\n", "CPPC_CONTROLLER=[0-9.]+:[0-9]+",
                           "CPPC_EXTENSION=/.*/libcppc-migration.so\n", "CPPC_LAUNCH=/.*/cppc/app-[0-9a-f]{8}.launch\n",
                           "app-[0-9a-f]{8}.sock\n"}) {
    EXPECT_TRUE(std::regex_search(finished.output, std::regex(line))) << line << finished.output;
  }
}

TEST_F(CppcRun, HidesSlurmFromMpirun) {
  directory_.script("scontrol", "printf 'node0\\nnode1\\n'");
  directory_.script("squeue", "echo 'node[0-1]|head'");
  mpirun(R"(printf "%s " "$@"; echo; env | grep SLURM)");
  Words with = environment();
  with.insert(with.end(), {"SLURM_JOB_ID=17", "SLURM_JOB_NODELIST=node[0-1]", "SLURM_TASKS_PER_NODE=2(x2)"});
  const Finished finished = Process(command({app()}), with).wait();
  EXPECT_EQ(finished.output.find("-n 4 --host node0:2,node1:2 "), 0U) << finished.output << finished.errors;
  EXPECT_NE(finished.output.find("\nCPPC_SLURM_JOB=17\n"), std::string::npos) << finished.output;
  EXPECT_EQ(finished.output.find("\nSLURM_"), std::string::npos) << finished.output;
  with.push_back("SLURM_STEP_ID=0");
  const Finished step = Process(command({app()}), with).wait();
  EXPECT_NE(step.status, 0);
  EXPECT_NE(step.errors.find("started by srun"), std::string::npos) << step.errors;
}

TEST_F(CppcRun, LeavesNothingBehind) {
  mpirun("exit 0");
  run({"-n", "2", app()});
  EXPECT_TRUE(fs::is_empty(file("cppc")));
}

TEST_F(CppcRun, SignalsReachMpirunOnce) {
  mpirun(count_signals);
  for (const auto& [signal, name] : std::vector<std::pair<int, std::string>>{{SIGINT, "INT"},
                                                                             {SIGTERM, "TERM"},
                                                                             {SIGHUP, "HUP"},
                                                                             {SIGQUIT, "QUIT"},
                                                                             {SIGUSR1, "USR1"},
                                                                             {SIGUSR2, "USR2"}}) {
    Process job = start({"-n", "2", app()});
    await(job, "ready");
    job.signal(signal);
    const Finished finished = job.wait();
    EXPECT_EQ(finished.status, 9);
    EXPECT_EQ(finished.output, "ready\n" + name + " 1 times\n");
  }
}

// A shell command that waits until `text` is in `file`.
std::string until_said(const std::string& text, const std::string& file) {
  return "until grep -qs " + text + " " + file + "; do sleep 0.02; done";
}

// As from timeout(1), or a shell's `kill %1`.
TEST_F(CppcRun, ASignalToTheProcessGroupReachesMpirunOnce) {
  mpirun(count_signals);
  Words words = command({"-n", "2", app()});
  words.insert(words.begin(), "setsid");
  Process job(words, environment());
  await(job, "ready");
  kill(-job.id(), SIGTERM);
  EXPECT_EQ(job.wait().output, "ready\nTERM 1 times\n");
}

// script(1) gives it a terminal, on which Ctrl-C is typed.
TEST_F(CppcRun, ControlCOnATerminalReachesMpirunOnce) {
  mpirun(count_signals);
  const std::string output = file("typescript");
  const Finished finished = Process({"sh", "-c",
                                     "PATH=" + directory_.path() + ":$PATH; (" + until_said("ready", output) +
                                         "; printf '\\003'; " + until_said("times", output) + ") | script -qefc '" +
                                         "exec " + bin_ + "/cppc-run -n 2 " + app() + "' " + output},
                                    environment())
                                .wait();
  EXPECT_EQ(finished.status, 9);
  EXPECT_NE(finished.output.find("INT 1 times"), std::string::npos) << finished.output;
}

TEST_F(CppcRun, WhenItIsKilledMpirunIsToldToEnd) {
  mpirun("trap 'touch " + file("told") + "; exit' TERM; echo ready; while :; do sleep 0.02; done");
  Process job = start({"-n", "2", app()});
  await(job, "ready");
  job.signal(SIGKILL);
  job.wait();
  while (!fs::exists(file("told"))) std::this_thread::yield();
}

TEST_F(CppcRun, AnMpirunThatDoesNotEndWhenItIsToldToIsKilled) {
  mpirun("trap '' TERM; echo ready; while :; do sleep 0.02; done");
  Words words = environment();
  words.emplace_back("CPPC_DEADLINE_LEAVE=1");
  Process job(command({"-n", "2", app()}), words);
  await(job, "ready");
  job.signal(SIGTERM);
  const Finished finished = job.wait();
  EXPECT_EQ(finished.status, 128 + SIGKILL);
  EXPECT_NE(finished.errors.find("has to end, no agent is left, and it goes on: it is killed"), std::string::npos)
      << finished.errors;
}

TEST_F(CppcRun, AWorkingDirectoryThatHasBeenRemovedIsNamed) {
  Words words{"sh", "-c", "mkdir \"$0\" && cd \"$0\" && rmdir \"$0\" && exec \"$@\"", file("gone")};
  for (const std::string& word : command({"--checkpoint-to", "here", app()})) words.push_back(word);
  const Finished finished = Process(words, environment()).wait();
  EXPECT_EQ(finished.status, 1);
  EXPECT_NE(finished.errors.find("cannot start in the working directory: No such file"), std::string::npos)
      << finished.errors;
}

TEST_F(CppcRun, SaysWhatIsWrong) {
  const auto fails = [&](const Words& arguments, int status, const std::string& why) {
    const Finished finished = run(arguments);
    EXPECT_EQ(finished.status, status);
    EXPECT_EQ(finished.output, "");
    EXPECT_EQ(finished.errors.substr(0, 10), "cppc-run: ");
    EXPECT_NE(finished.errors.find(why), std::string::npos) << finished.errors;
    EXPECT_EQ(std::count(finished.errors.begin(), finished.errors.end(), '\n'), 1);
  };
  fails({}, 2, "which program");
  fails({"-n", "2"}, 2, "which program");
  fails({"--frobnicate", app()}, 2, "unknown option --frobnicate");
  fails({"--rankfile", "f", app()}, 2, "--rankfile cannot be used");
  fails({"-H", "localhost:x", "-n", "2", app()}, 2,
        "--host localhost:x: a number of slots from 1 up, or *, has to follow");
  fails({"--site-moves", "maybe", "-n", "2", app()}, 2, "--site-moves needs never, or two times of day");
  fails({"-n", "2", "true"}, 2, "true is not linked with libcppc");
  fails({"--hostfile", "/nonexistent", app()}, 1, "cannot read the host file /nonexistent");
  fails({"-H", "elsewhere:*", app()}, 1, "how many ranks?");
  fs::remove(bin_ + "/cppc-agent");
  fails({"-n", "2", app()}, 1, "a part of cppc-run is missing");
}

TEST_F(CppcRun, RefusesValuesOfItsVariablesByTheRightOnes) {
  const auto says = [this](const std::string& setting, const std::string& message) {
    Words settings = environment();
    settings.push_back(setting);
    const Finished finished = Process(command({"-n", "2", app()}), settings).wait();
    EXPECT_EQ(finished.status, 2) << setting;
    EXPECT_EQ(finished.errors, "cppc-run: " + setting + message + " (see cppc-run --help)\n");
  };
  says("CPPC_DEADLINE_START=x", " is no number of whole seconds from 1 to 604800");
  says("CPPC_DEADLINE_SHIP=0", " is no number of whole seconds from 1 to 604800");
  says("CPPC_LOG=loud", " is none of error, warn, info, debug, trace, off");
  says("CPPC_COMPRESS=maybe", " is none of auto, on, off");
  says("CPPC_FABRIC_DEPTH=-1", " is no whole number above 0");
  Words settings = environment();
  settings.insert(settings.end(), {"CPPC_LOG=err", "CPPC_COMPRESS=", "CPPC_FABRIC_CHUNK=64"});
  mpirun("exit 0");
  EXPECT_EQ(Process(command({"-n", "2", app()}), settings).wait().status, 0);
}

TEST_F(CppcRun, WithoutMpirunItSaysSo) {
  const Finished finished =
      Process(command({"-n", "2", app()}), {"XDG_RUNTIME_DIR=" + directory_.path(), "PATH=/nonexistent"}).wait();
  EXPECT_EQ(finished.status, 1);
  EXPECT_NE(finished.errors.find("cannot run mpirun: No such file or directory"), std::string::npos) << finished.errors;
  EXPECT_TRUE(fs::is_empty(file("cppc")));
}

TEST_F(CppcRun, HelpAndVersion) {
  const Finished help = run({"--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_NE(help.output.find("Examples:"), std::string::npos);
  EXPECT_EQ(run({"--version"}).output, "cppc-run " CPPC_VERSION "\n");
}

TEST_F(CppcRun, SaysWhatBecomesOfEachFunctionOfMpi) {
  const Finished coverage = run({"--mpi-coverage"});
  EXPECT_EQ(coverage.status, 0);
  for (const char* line :
       {"\nMPI_Allreduce +supported\n", "\nMPI_Win_create +supported\n", "\nMPI_Comm_spawn +refused\n",
        "\nMPI_Get_address +passed through\n", "\nMPI_Comm_create_keyval +supported\n",
        "\nMPI_File_write_all_begin +supported\n", "\nMPI_File_c2f +supported\n", "\nmpi_send +supported\n",
        "\nmpi_comm_spawn +refused\n", "\nmpi_win_attach +supported\n",
        "\n[0-9]+ functions: [0-9]+ supported, [0-9]+ passed through, [0-9]+ refused\n$"}) {
    EXPECT_TRUE(std::regex_search(coverage.output, std::regex(line))) << line;
  }
}

TEST_F(CppcRun, ListensOnTheNetworkWhenToldToAndKeepsTheTokenToItself) {
  const std::string token = "very-secret-0123456789abcdef-token";
  const std::string token_file = directory_.write("token", token);
  const auto tls = test::make_certificate(directory_, "own", "IP:127.0.0.1");
  const Words options{"--listen",  "127.0.0.1:0", "--tls-cert",   tls.certificate,
                      "--tls-key", tls.key,       "--token-file", token_file,
                      "-n",        "2",           app()};
  mpirun(R"(echo "$@"; env; cat /proc/$PPID/cmdline | tr '\0' ' '; echo started; until test -e )" + file("stop") +
         "; do sleep 0.02; done");
  EXPECT_NE(run(options).errors.find(token_file + " is open to others"), std::string::npos);
  fs::permissions(token_file, fs::perms(0600));
  Words log = environment();
  log.push_back("CPPC_LOG=debug");
  Process job(command(options), log);
  await(job, "started\n");
  std::smatch found;
  const std::string said = job.errors();
  ASSERT_TRUE(std::regex_search(said, found, std::regex("127.0.0.1 port ([0-9]+)"))) << said;
  const Finished status = Process({MIGRATE_PROGRAM, "--server", "https://127.0.0.1:" + found.str(1), "--ca",
                                   tls.certificate, "--token-file", token_file, "status"})
                              .wait();
  EXPECT_EQ(status.status, 0) << status.errors;
  EXPECT_NE(status.output.find(app()), std::string::npos) << status.output;
  directory_.write("stop", "");
  const Finished finished = job.wait();
  EXPECT_EQ(finished.output.find(token), std::string::npos);
  EXPECT_EQ(finished.errors.find(token), std::string::npos);
}

TEST_F(CppcRun, TakesAllDescriptorsThatItMayHaveAndKeepsThatFromMpirun) {
  mpirun(R"(ulimit -Sn; sed -n 's/^Max open files *\([0-9]*\) .*/\1/p' /proc/$PPID/limits; ulimit -Hn)");
  const Finished finished =
      Process({"sh", "-c", "ulimit -Sn 256; " + with_path("exec " + bin_ + "/cppc-run -n 1 " + app())}, environment())
          .wait();
  std::istringstream numbers(finished.output);
  long mpiruns = 0, own = 0, most = 0;
  numbers >> mpiruns >> own >> most;
  EXPECT_EQ(mpiruns, 256) << finished.output << finished.errors;
  EXPECT_GT(own, 256);
  EXPECT_EQ(own, most);
}

TEST_F(CppcRun, RefusesMoreNodesThanItHasDescriptorsFor) {
  std::string hosts;
  for (int node = 1; node <= 20; ++node) hosts += "10.99.0." + std::to_string(node) + ":1,";
  hosts.pop_back();
  const Finished refused =
      Process({"sh", "-c", "ulimit -n 200; " + with_path("exec " + bin_ + "/cppc-run -n 1 -H " + hosts + " " + app())},
              environment())
          .wait();
  EXPECT_EQ(refused.status, 1);
  EXPECT_EQ(refused.errors,
            "cppc-run: a job of 20 nodes needs 260 descriptors in cppc-run, which may have 200 (ulimit -Hn): have the "
            "limit raised, or use fewer nodes\n");
}

// A whole life: agents join, migrate works, every rank finishes, mpirun ends.
TEST_F(CppcRun, ServesMigrateUntilMpirunEnds) {
  mpirun(R"(echo "$CPPC_KEY $CPPC_CONTROLLER end"; until test -e )" + file("stop") + "; do sleep 0.02; done; exit 5");
  Process job = start({"-H", "node0:2,node1:2", "-n", "2", app()});
  await(job, " end\n");
  std::istringstream said(job.output());
  std::string key, controller;
  said >> key >> controller;
  test::FakeAgents agents(controller, key, {{0, 1}, {}});
  Process command({MIGRATE_PROGRAM, "--rank", "1", "--to", "node1"}, environment());
  agents.obey(agents.order());
  EXPECT_EQ(command.wait().status, 0) << command.errors();
  agents.finish();
  directory_.write("stop", "");
  EXPECT_EQ(job.wait().status, 5);
  EXPECT_EQ(Process({MIGRATE_PROGRAM, "--rank", "0", "--to", "node1"}, environment()).wait().status, 3);
}

}  // namespace
}  // namespace cppc::run
