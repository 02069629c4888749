/// The default build: programs whose state is kept by address.
#include <csignal>
#include <filesystem>
#include <thread>

#include "wrapper_test.hpp"

namespace cppc::driver {
namespace {

namespace fs = std::filesystem;
using test::Finished;

constexpr const char* all_translated = "main translated in main.c, part translated\n";
constexpr const char* all_plain = "main plain in main.c, part plain\n";

class ByAddress : public WrapperTest, public testing::WithParamInterface<const char*> {
 protected:
  ByAddress() {
    set("CPPC_CC", GetParam());
    write_program();
  }
  void compile() const {
    for (const char* file : {"main.c", "part.c"}) well({"cppc-cc", "-c", file});
  }
  // What `program` is, for the dynamic linker.
  void expect_by_address(const std::string& program = "program") const {
    EXPECT_NE(well({"nm", "-D", program}).find(" cppc_by_address\n"), std::string::npos);
    EXPECT_NE(well({"readelf", "-hW", program}).find("EXEC"), std::string::npos);
    const std::string dynamic = well({"readelf", "-dW", program});
    const std::size_t cppc = dynamic.find("[libcppc.so.1]");
    EXPECT_NE(cppc, std::string::npos);
    EXPECT_LT(cppc, dynamic.find("[libmpi.so"));
    EXPECT_EQ(dynamic.find("[libgcc_s"), std::string::npos);
  }
  // How often a compiler or linker has been run on main.c or main.o.
  std::size_t runs(const Words& command) {
    set("CPPC_VERBOSE", "1");
    const std::string shown = run(command).errors;
    set("CPPC_VERBOSE", "");
    std::size_t count = 0;
    for (std::size_t at = 0; (at = shown.find(" main.", at)) != std::string::npos; ++at) ++count;
    return count;
  }
  const Words link_{"cppc-cc", "-o", "program", "main.o", "part.o"};
};

INSTANTIATE_TEST_SUITE_P(Compilers, ByAddress, testing::Values(COMPILERS));

TEST_P(ByAddress, ProgramsSayIt) {
  for (const Words& options : std::vector<Words>{{},
                                                 {"-fPIC"},
                                                 {"-fPIE"},
                                                 {"-s"},
                                                 {"-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"},
                                                 {"-fvisibility=hidden"},
                                                 {"-Wl,--as-needed"},
                                                 {"-fuse-ld=gold"},
                                                 {"-fuse-ld=lld"}}) {
    SCOPED_TRACE(testing::PrintToString(options));
    Words command{"cppc-cc", "-O2", "main.c", "part.c", "-o", "program"};
    command.insert(command.end(), options.begin(), options.end());
    EXPECT_EQ(run(command).status, 0);
    EXPECT_EQ(well({"./program"}), all_translated);
    expect_by_address();
  }
}

TEST_P(ByAddress, ProgramsFromStandardInputSayItToo) {
  well({"sh", "-c", "cat main.c part.c | cppc-cc -O2 -x c - -o program"});
  EXPECT_EQ(well({"./program"}), "main plain in <stdin>, part plain\n");
  expect_by_address();
}

TEST_P(ByAddress, LinkTimeOptimizationKeepsIt) {
  if (std::string(GetParam()) != GCC) GTEST_SKIP() << "objects of clang -flto cannot keep their command";
  for (const char* file : {"main.c", "part.c"}) well({"cppc-cc", "-O2", "-flto", "-c", file});
  Words link = link_;
  link.insert(link.end(), {"-O2", "-flto"});
  well(link);
  EXPECT_EQ(well({"./program"}), all_translated);
  expect_by_address();
}

TEST_P(ByAddress, TranslatorGetsTheOptionByAddress) {
  compile();
  well(link_);
  const Words command = translator_log().at("command");
  EXPECT_EQ(Words(command.begin() + 4, command.end()), (Words{"--by-address"}));
  const Words arguments = translator_log().at("program").at(0).at("arguments");
  EXPECT_EQ(arguments.at(1), "-fno-pie");
  make_portable();
  well(link_);
  EXPECT_EQ(Words(translator_log().at("command")).size(), 4U);
  EXPECT_EQ(well({"nm", "-D", "program"}).find("cppc_by_address"), std::string::npos);
}

TEST_P(ByAddress, NothingToTranslateMakesNoDifference) {
  compile();
  set("FAKE_STATUS", "3");
  well(link_);
  EXPECT_EQ(well({"./program"}), all_plain);
  expect_by_address();
  well({GetParam(), MPI_COMPILE_FLAGS, "-c", "main.c"});
  const Finished finished = run(link_);
  EXPECT_EQ(finished.status, 0);
  EXPECT_EQ(finished.errors, "cppc-cc: warning: program gets no safe points, so that ranks stop at calls of MPI or by a signal: "
                             "what defines main() has not been compiled by cppc-cc, cppc-c++ or cppc-fc\n");
  expect_by_address();
}

TEST_P(ByAddress, NoFailureOfTheTranslationEndsTheLink) {
  compile();
  const auto goes_on = [this](const std::string& setting, const std::string& value, const std::string& reason) {
    SCOPED_TRACE(reason);
    set(setting, value);
    fs::remove(path("program"));
    const Finished finished = run(link_);
    EXPECT_EQ(finished.status, 0);
    EXPECT_EQ(finished.errors,
              "cppc-cc: warning: program gets no safe points, so that ranks stop at calls of MPI or by a signal: " + reason + "\n");
    EXPECT_EQ(well({"./program"}), all_plain);
    expect_by_address();
    set(setting, "");
  };
  goes_on("FAKE_STATUS", "1", "the translator ended with status 1: cppc: ends with 1");
  goes_on("FAKE_SIGNAL", std::to_string(SIGSEGV), "the translator died (Segmentation fault): cppc looks at part.c");
  set("FAKE_FATAL_ERROR", "\nfatal internal error: CHECK(symbol) failed at resolve-names.cc(12)");
  goes_on("FAKE_SIGNAL", std::to_string(SIGABRT),
          "the translator died (Aborted): fatal internal error: CHECK(symbol) failed at resolve-names.cc(12)");
  set("FAKE_FATAL_ERROR", "\nLLVM ERROR: out of memory");
  goes_on("FAKE_SIGNAL", std::to_string(SIGABRT),
          "the program is too large for the memory that the translator may take");
  goes_on("FAKE_SIGNAL", std::to_string(SIGXCPU), "the program is too large for the time that the translator may take");
  goes_on("FAKE_CHANGE", "bad", "main.c does not compile with its safe points; --cppc-report=text shows the compiler's errors");
  fs::remove(installed("bin/cppc"));
  goes_on("FAKE_STATUS", "", "a part of cppc-cc is missing: " + installed("bin/cppc") + "; install it again");
}

TEST_P(ByAddress, RequestThatCannotBeMetIsAnError) {
  compile();
  set("CPPC_KEEP", "/dev/null/kept");
  fails(link_, 1, "cppc-cc: cannot keep the translated sources in /dev/null/kept/program: Not a directory");
  EXPECT_FALSE(exists("program"));
  set("CPPC_KEEP", "");
  set("FAKE_STATUS", "2");  // as when a file of --cppc-models cannot be read
  fails(link_, 2, "cppc: ends with 2");
  EXPECT_FALSE(exists("program"));
}

TEST_P(ByAddress, ChangedSourceIsLeftOut) {
  compile();
  const std::string source = read("part.c");
  const auto left_out = [this](const std::string& why) {
    SCOPED_TRACE(why);
    well(link_);
    EXPECT_EQ(well({"./program"}), "main translated in main.c, part plain\n");
    const auto program = translator_log().at("program");
    EXPECT_FALSE(program.at(0).contains("left_out"));
    EXPECT_EQ(program.at(1).at("left_out"), "the source " + why + " since it was compiled");
  };
  write("part.c", source + "\n");
  left_out("has changed");
  fs::remove(path("part.c"));
  left_out("is gone");
}

TEST_P(ByAddress, WarningsThatAreErrorsAreForTheFirstCompilationOnly) {
  write("main.c", R"(#include <mpi.h>
#include <stdio.h>
int main(void) {
  int done;
  MPI_Initialized(&done);
  puts("plain");
  return 0;
}
)");
  well({"cppc-cc", "-std=c90", "-pedantic-errors", "-Wno-long-long", "-Werror", "-c", "main.c"});
  set("FAKE_CHANGE", "c99");
  well({"cppc-cc", "-o", "program", "main.o"});
  EXPECT_EQ(well({"./program"}), "translated\n");
}

TEST_P(ByAddress, LinkFailsWithoutLibcppc) {
  compile();
  const std::string library = installed("bin/" CPPC_LIBRARIES_FROM_PROGRAMS "/libcppc.so");
  fs::remove(library);
  fails(link_, 1, "a part of cppc-cc is missing: " + fs::path(library).lexically_normal().string());
  EXPECT_FALSE(exists("program"));
}

TEST_P(ByAddress, InterruptedLinkLeavesNoFiles) {
  compile();
  fs::remove(installed("bin/cppc"));
  directory_.script("installed here/bin/cppc", "touch \"" + path("here") + "\"; exec sleep 1000");
  test::Process process = start(link_);
  while (!exists("here") && process.running()) std::this_thread::yield();
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait().status, 128 + SIGTERM);
  EXPECT_FALSE(exists("program"));
}

TEST_P(ByAddress, UnsupportedFeatureIsRefusedByName) {
  compile();
  const auto refused = [this](const std::string& option, const std::string& message) {
    Words link = link_;
    link.push_back(option);
    fails(link, 1, "cppc-cc: program is linked with " + message);
    EXPECT_FALSE(exists("program")) << option;
  };
  refused("-pie", "-pie, but its state is kept by address, in a program at a fixed place: link it without");
  refused("-Wl,-pie", "-pie, but");
  refused("-static", "-static, but libcppc is a shared library: link it without");
  refused("-static-pie", "-static-pie, but libcppc is a shared library");
  for (const char* sanitizer : {"address", "thread", "memory", "leak", "hwaddress", "undefined,address"}) {
    const std::string name = std::string(sanitizer).substr(std::string(sanitizer).find(',') + 1);
    refused(std::string("-fsanitize=") + sanitizer, "-fsanitize=" + name + ", which has memory of its own");
  }
}

TEST_P(ByAddress, OptionThatIsRevokedIsNotRefused) {
  compile();
  for (const Words& options :
       std::vector<Words>{{"-pie", "-no-pie"}, {"-fsanitize=address", "-fno-sanitize=address"}}) {
    Words link = link_;
    link.insert(link.end(), options.begin(), options.end());
    well(link);
    expect_by_address();
  }
}

TEST_P(ByAddress, ProgramsWithoutMpiAreTheCompilers) {
  write("no_mpi.c", "/* MPI_Send is only mentioned. */\nint main(void) { int unused; return 0; }\n");
  write("neither.c", "int main(void) { return 0; }\n");
  for (const char* file : {"no_mpi.c", "neither.c"}) {
    const Finished finished = run({"cppc-cc", "-Wall", file, "-o", "program"});
    EXPECT_EQ(finished.status, 0);
    const std::size_t first = finished.errors.find("warning: ");
    EXPECT_EQ(first, finished.errors.rfind("warning: ")) << "warned twice: " << finished.errors;
    EXPECT_EQ(first != std::string::npos, file == std::string("no_mpi.c"));
    EXPECT_EQ(well({"readelf", "-dW", "program"}).find("libcppc"), std::string::npos);
    EXPECT_EQ(well({"nm", "program"}).find("cppc_by_address"), std::string::npos);
  }
  EXPECT_FALSE(was_translated());
}

TEST_P(ByAddress, SharedLibrariesAreTheCompilers) {
  well({"cppc-cc", "-fPIC", "-c", "part.c"});
  well({"cppc-cc", "-shared", "-o", "libpart.so", "part.o"});
  EXPECT_EQ(well({"nm", "-D", "libpart.so"}).find("cppc_by_address"), std::string::npos);
  EXPECT_EQ(well({"readelf", "-dW", "libpart.so"}).find("libcppc"), std::string::npos);
  EXPECT_FALSE(was_translated());
}

TEST_P(ByAddress, LibraryThatCallsMpiMakesAnMpiProgram) {
  write("solver.c", "#include <mpi.h>\nint solve(void) { int yes; MPI_Initialized(&yes); return yes; }\n");
  write("user.c", "int solve(void);\nint main(void) { return solve(); }\n");
  well({"cppc-cc", "-fPIC", "-shared", "-o", "libsolver.so", "solver.c"});
  for (const Words& library : std::vector<Words>{{"./libsolver.so"}, {"-L.", "-lsolver", "-Wl,-rpath,."}}) {
    Words link{"cppc-cc", "user.c", "-o", "program"};
    link.insert(link.end(), library.begin(), library.end());
    well(link);
    EXPECT_NE(well({"readelf", "-dW", "program"}).find("[libcppc.so.1]"), std::string::npos);
    EXPECT_NE(well({"nm", "-D", "program"}).find("cppc_by_address"), std::string::npos);
  }
}

TEST_P(ByAddress, ConfigureStepsTakeOneCommand) {
  write("main.c", "int main(void) { return 0; }\n");
  EXPECT_EQ(runs({"cppc-cc", "main.c", "-o", "program"}), 1U);
  write("main.c", "#include <mpi.h>\nint main(void) { return MPI_Init(0, 0); }\n");
  set("FAKE_STATUS", "3");
  EXPECT_EQ(runs({"cppc-cc", "main.c", "-o", "program"}), 1U);
}

TEST_P(ByAddress, ObjectsOfEitherBuildCanBeLinkedAsEither) {
  compile();
  make_portable();
  well(link_);
  EXPECT_EQ(well({"./program"}), all_translated);
  compile();
  well({"sh", "-c", "cppc-cc -o program main.o part.o"});
  EXPECT_EQ(well({"./program"}), all_translated);
  expect_by_address();
}

}  // namespace
}  // namespace cppc::driver
