/// Links of portable programs that cannot be finished, and what can be seen and kept of a link.
#include <csignal>
#include <filesystem>
#include <thread>

#include "wrapper_test.hpp"

namespace cppc::driver {
namespace {

namespace fs = std::filesystem;
using test::Finished;

class LinkFailure : public WrapperTest {
 protected:
  LinkFailure() {
    make_portable();
    set("CPPC_CC", GCC);
    write_program();
    for (const char* file : {"main.c", "part.c"}) well({"cppc-cc", "-c", file});
  }
  const Words link_{"cppc-cc", "-o", "program", "main.o", "part.o"};
};

TEST_F(LinkFailure, LinkersStatusIsPassedOn) {
  const Finished expected = run({GCC, "-o", "program", "part.o", "absent.o"});
  const Finished found = run({"cppc-cc", "-o", "program", "part.o", "absent.o"});
  EXPECT_EQ(found.status, expected.status);
  EXPECT_EQ(found.errors, expected.errors);
}

TEST_F(LinkFailure, ChangedSourceIsReportedByName) {
  write("part.c", read("part.c") + "\n");
  fails(link_, 1, "cppc-cc: " + path("part.c") + " has changed since it was compiled (part.o): a program is translated from all its sources, as they were compiled\n");
  EXPECT_FALSE(exists("program"));
  EXPECT_FALSE(was_translated());
  well({"cppc-cc", "-c", "part.c"});
  well({"touch", "part.c"});
  well(link_);
}

TEST_F(LinkFailure, MissingSourceIsReportedByName) {
  fs::remove(path("part.c"));
  fails(link_, 1, "cppc-cc: " + path("part.c") + " is gone since it was compiled (part.o)");
  EXPECT_FALSE(exists("program"));
}

TEST_F(LinkFailure, TranslatorsRefusalEndsTheLink) {
  for (const int status : {1, 2, 77}) {
    set("FAKE_STATUS", std::to_string(status));
    const Finished finished = run(link_);
    EXPECT_EQ(finished.status, status);
    EXPECT_EQ(finished.errors, "cppc: ends with " + std::to_string(status) + "\n");
    EXPECT_FALSE(exists("program"));
  }
}

TEST_F(LinkFailure, TranslationThatDoesNotCompileEndsTheLink) {
  set("FAKE_CHANGE", "bad");
  fails(link_, 1, "error");
  EXPECT_FALSE(exists("program"));
}

TEST_F(LinkFailure, MissingPartsAreNamed) {
  fs::remove(installed("bin/cppc"));
  fails(link_, 1, "cppc-cc: a part of cppc-cc is missing: " + installed("bin/cppc") + "; install it again");
  EXPECT_FALSE(exists("program"));
}

TEST_F(LinkFailure, StaticProgramsAreRefused) {
  // As linking with -static would be if there were a static libmpi.
  write("mpi.c", "int MPI_Init(int *a, char ***b) { return *a + (b != 0); }\n");
  well({GCC, "-c", "mpi.c", "-o", "libmpi.o"});
  well({"ar", "rcs", "libmpi.a", "libmpi.o"});
  Words link = link_;
  link.insert(link.end(), {"-static", "-L."});
  fails(link, 1, "program is linked with -static, but libcppc is a shared library: link it without -static");
  EXPECT_FALSE(exists("program"));
}

TEST_F(LinkFailure, StandardInputIsReadOnlyOnce) {
  fails({"sh", "-c", "cat main.c part.c | cppc-cc --portable -x c - -o program"}, 1,
        "cppc-cc: a program cannot be translated from standard input, which can be read only once: use a file");
  EXPECT_FALSE(exists("program"));
}

TEST_F(LinkFailure, ObjectsOfAnotherVersionAreNamed) {
  write("section", "{\"something\":\"else\"}\n");
  well({"objcopy", "--remove-section", ".cppc.command", "part.o"});
  well({"objcopy", "--add-section", ".cppc.command=section", "part.o"});
  fails(link_, 1, "cannot understand how the objects in part.o were compiled");
  EXPECT_FALSE(exists("program"));
}

TEST_F(LinkFailure, InterruptedLinkLeavesNoFiles) {
  fs::remove(installed("bin/cppc"));
  directory_.script("installed here/bin/cppc", "touch \"" + path("here") + "\"; exec sleep 1000");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    test::Process process = start(link_);
    while (!exists("here") && process.running()) std::this_thread::yield();
    process.signal(signal);
    EXPECT_EQ(process.wait().status, 128 + signal);
    EXPECT_FALSE(exists("program"));
    EXPECT_TRUE(fs::is_empty(directory_.path() + "/temporary"));
    fs::remove(path("here"));
  }
}

TEST_F(LinkFailure, SignalsThatAreIgnoredStayIgnored) {
  fs::remove(installed("bin/cppc"));
  directory_.script("installed here/bin/cppc", "kill -HUP $PPID; exit 0");
  Words link = link_;
  link.insert(link.begin(), {"sh", "-c", "trap '' HUP; exec \"$@\"", "sh"});
  well(link);
  EXPECT_TRUE(exists("program"));
}

TEST_F(LinkFailure, VerboseLinkShowsItsCommands) {
  Words link = link_;
  link.emplace_back("-v");
  const std::string by_option = run(link).errors;
  set("CPPC_VERBOSE", "1");
  const std::string by_variable = run(link_).errors;
  for (const std::string& shown : {by_option, by_variable}) {
    const std::string link = GCC " -no-pie -o program main.o part.o";
    const std::string translator = std::string("'").append(installed("bin/cppc")).append("' --program");
    const std::string compiler = std::string("cd '").append(work_).append("' && " GCC " -iquote .");
    for (const std::string& command : {link, translator, compiler}) {
      EXPECT_NE(shown.find(command), std::string::npos) << command << " in " << shown;
    }
  }
}

TEST_F(LinkFailure, TranslatedSourcesAreKeptOnRequest) {
  set("CPPC_KEEP", path("kept here"));
  well(link_);
  EXPECT_NE(read("kept here/program/0.c").find("\"translated\""), std::string::npos);
  EXPECT_EQ(read("kept here/program/report.json"), "{}\n");
  EXPECT_NE(read("kept here/program/commands.json").find("part.c"), std::string::npos);
  set("FAKE_CHANGE", "bad");
  fails(link_, 1, "error");
  EXPECT_NE(read("kept here/program/1.c").find("no C"), std::string::npos);
}

TEST_F(LinkFailure, TranslatedSourcesThatCannotBeKeptAreAnError) {
  set("CPPC_KEEP", "/dev/null/kept");
  fails(link_, 1, "cppc-cc: cannot keep the translated sources in /dev/null/kept/program: Not a directory");
  EXPECT_FALSE(exists("program"));
}

TEST_F(LinkFailure, TemporaryFilesThatHaveNoPlaceAreAnError) {
  set("TMPDIR", "/nowhere");
  fails(link_, 1,
        "cppc-cc: cannot make a directory for temporary files in /nowhere: No such file or directory; TMPDIR names");
}

TEST_F(LinkFailure, TheTranslatorIsToldWhatTheCompilerPredefines) {
  set("CPPC_KEEP", path("kept"));
  for (const char* option : {"-O2", "-O0"}) well({"cppc-cc", option, "-c", option[2] == '2' ? "main.c" : "part.c"});
  well({"cppc-cc", "main.o", "part.o", "-o", "program"});
  const auto commands = nlohmann::json::parse(read("kept/program/commands.json"));
  for (const auto& command : commands) {
    const bool optimized =
        read("kept/program/" + command["macros"].get<std::string>()).find("__OPTIMIZE__ 1") != std::string::npos;
    EXPECT_EQ(optimized, command["file"] == "main.c") << command;
  }
  EXPECT_EQ(commands.size(), 2U);
}

TEST_F(LinkFailure, OptimizationAtLinkTimeGoesOn) {
  for (const char* file : {"main.c", "part.c"}) well({"cppc-cc", "-O2", "-flto", "-c", file});
  well({"ar", "rcs", "libpart.a", "part.o"});
  for (const Words& options : std::vector<Words>{{"-flto"}, {}}) {
    Words link{"cppc-cc", "-O2", "-o", "program", "main.o", "libpart.a"};
    link.insert(link.end(), options.begin(), options.end());
    well(link);
    EXPECT_EQ(well({"./program"}), "main translated in main.c, part translated\n");
    EXPECT_EQ(translated_files(), (Words{"main.c", "part.c"}));
  }
  well({"cppc-cc", "-O2", "-flto", "-o", "program", "main.c", "libpart.a"});
  EXPECT_EQ(well({"./program"}), "main translated in main.c, part translated\n");
  EXPECT_EQ(translated_files(), (Words{"main.c", "part.c"}));
}

}  // namespace
}  // namespace cppc::driver
