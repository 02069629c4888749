/// cppc-agent start: a rank turns into its program, or says why it cannot.
#include <gtest/gtest.h>

#include <cstdlib>

#include "process.hpp"
#include "temporary_directory.hpp"

namespace cppc::agent {
namespace {

using Words = std::vector<std::string>;

class Start : public testing::Test {
 protected:
  Start() {
    directory_.script("app", "echo app \"$@\" in $PWD; exit 7");
    directory_.write("data", "not a program");
  }
  test::Finished start(Words arguments, const std::string& path = "/usr/bin:/bin") const {
    Words command{CPPC_AGENT_PROGRAM, "start"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return test::Process(command, {"OMPI_COMM_WORLD_RANK=3", "CPPC_KEY=secret", "PATH=" + path}).wait();
  }
  test::TemporaryDirectory directory_;
};

TEST_F(Start, ArgumentsAndStatusAreTheProgramsOwn) {
  const auto finished = start({"--wdir", directory_.path(), "./app", "start", "--help", "--", "--wdir", "x y", ""});
  EXPECT_EQ(finished.output, "app start --help -- --wdir x y  in " + directory_.path() + "\n");
  EXPECT_EQ(finished.status, 7);
}

TEST_F(Start, FindsItAsMpirunDoes) {
  EXPECT_EQ(start({"app"}, "/usr/bin:" + directory_.path()).status, 7) << "in $PATH";
  EXPECT_EQ(start({"--path", "/nonexistent:" + directory_.path(), "app"}).status, 7) << "in --path";
  EXPECT_EQ(start({"--wdir", directory_.path(), "app"}).status, 7) << "in the working directory";
}

TEST_F(Start, TheProgramDoesNotGetTheJobsKey) {
  const auto environment = start({"env"});
  EXPECT_NE(environment.output.find("OMPI_COMM_WORLD_RANK=3\n"), std::string::npos) << environment.output;
  EXPECT_EQ(environment.output.find("CPPC_KEY"), std::string::npos) << environment.output;
}

TEST_F(Start, TheProgramGetsTheResourceManagersVariablesBack) {
  const auto environment = test::Process({CPPC_AGENT_PROGRAM, "start", "env"},
                                         {"SLURM_STEP_ID=0", "CPPC_KEPT_ENVIRONMENT=SLURM_\x1fSLURM_JOB_ID=17"})
                               .wait();
  EXPECT_NE(environment.output.find("SLURM_JOB_ID=17\n"), std::string::npos) << environment.output;
  for (const char* name : {"SLURM_STEP_ID", "CPPC_KEPT_ENVIRONMENT"})
    EXPECT_EQ(environment.output.find(name), std::string::npos) << name;
}

TEST_F(Start, TheProgramGetsALibraryBehindTheUsersOwn) {
  const std::string libc = "/lib/x86_64-linux-gnu/libc.so.6";
  EXPECT_NE(start({"--preload", libc, "env"}).output.find("\nLD_PRELOAD=" + libc + "\n"), std::string::npos);
  const auto both =
      test::Process({"env", "LD_PRELOAD=libm.so.6", CPPC_AGENT_PROGRAM, "start", "--preload", libc, "env"}).wait();
  EXPECT_NE(both.output.find("\nLD_PRELOAD=libm.so.6:" + libc + "\n"), std::string::npos) << both.output;
  const auto absent = start({"--preload", "/nonexistent/libcppc.so", "env"});
  EXPECT_EQ(absent.status, 127);
  EXPECT_NE(absent.errors.find(": /nonexistent/libcppc.so: No such file or directory"), std::string::npos);
}

TEST_F(Start, SaysWhatCannotBeStarted) {
  const auto absent = start({"/nonexistent/app"});
  EXPECT_EQ(absent.status, 127);
  EXPECT_NE(absent.errors.find("rank 3 cannot start on "), std::string::npos) << absent.errors;
  EXPECT_NE(absent.errors.find(": /nonexistent/app: No such file or directory"), std::string::npos) << absent.errors;
  const auto data = start({directory_.path() + "/data"});
  EXPECT_EQ(data.status, 126);
  EXPECT_NE(data.errors.find("/data: Permission denied"), std::string::npos) << data.errors;
  const auto directory = start({"--wdir", "/nonexistent", "/bin/true"});
  EXPECT_EQ(directory.status, 127);
  EXPECT_NE(directory.errors.find(": /nonexistent: No such file or directory"), std::string::npos);
}

}  // namespace
}  // namespace cppc::agent
