/// Whole projects, built the way people build theirs.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "wrapper_test.hpp"

namespace cppc::driver {
namespace {

namespace fs = std::filesystem;
using test::Finished;

// main() calls two libraries in directories of their own; one of their files is part of no program.
class Project : public WrapperTest {
 protected:
  Project() {
    write("include/grid.h", "const char *grid(void);\nconst char *solver(void);\nint unused(void);\n");
    write("grid/grid.c", "#include <grid.h>\nconst char *grid(void) { return \"plain\"; }\n");
    write("grid/unused.c", "#include <grid.h>\nint unused(void) { return sizeof \"plain\"; }\n");
    write("solver/solver.c", "#include <grid.h>\n#include \"local.h\"\nconst char *solver(void) { return LOCAL; }\n");
    write("solver/local.h", "#define LOCAL \"plain\"\n/* plain */\n");
    write("main.c", R"(#include <grid.h>
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
  if (argc > 1) MPI_Init(&argc, &argv);
  printf("main %s, grid %s, solver %s\n", "plain", grid(), solver());
  return 0;
}
)");
  }

  void expect_translated(const std::string& program) const {
    EXPECT_EQ(well({program}), "main translated, grid translated, solver plain\n");
    Words names;
    for (const std::string& file : translated_files()) names.push_back(fs::path(file).filename());
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, (Words{"grid.c", "main.c", "solver.c"}));
  }

  void write_makefiles() const {
    write("Makefile", R"(CFLAGS = -O2 -Wall -Iinclude -MMD
LDLIBS = -lm
export CC
program: main.o solver/solver.o grid/libgrid.a
	$(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@
grid/libgrid.a: always
	$(MAKE) -C grid
always:
.PHONY: always
-include $(wildcard *.d */*.d)
)");
    write("grid/Makefile",
          "CFLAGS = -O2 -I../include -MMD\nARFLAGS = rcs\n"
          "libgrid.a: libgrid.a(grid.o) libgrid.a(unused.o)\n");
  }
};

TEST_F(Project, Make) {
  write_makefiles();
  for (const char* compiler : {GCC, CLANG}) {
    const Words make{"env", std::string("CPPC_CC=") + compiler, "make", "-s", "CC=cppc-cc"};
    well(make);
    expect_translated("./program");
    well({"touch", "main.c"});
    well(make);
    expect_translated("./program");
    for (const char* file : {"program", "main.o", "grid/libgrid.a", "solver/solver.o"}) fs::remove(path(file));
  }
}

TEST_F(Project, MakeInParallel) {
  std::string programs;
  for (int n = 0; n < 12; ++n) {
    const std::string name = std::string("p").append(std::to_string(n));
    write(name + ".c", read("main.c"));
    programs += " " + name;
  }
  write("Makefile",
        "CFLAGS = -Iinclude\nall:" + programs + "\n" + programs + ": grid.o solver.o\nvpath %.c grid solver\n");
  well({"make", "-s", "-j8", "CC=cppc-cc"});
  for (int n = 0; n < 12; ++n)
    EXPECT_EQ(well({std::string("./p").append(std::to_string(n))}), "main translated, grid translated, solver plain\n");
}

TEST_F(Project, MakeWithMpicc) {
  write_makefiles();
  well({"make", "-s", "CC=mpicc", "OMPI_CC=cppc-cc"});
  expect_translated("./program");
}

TEST_F(Project, CMake) {
  write("CMakeLists.txt", R"(cmake_minimum_required(VERSION 3.13)
project(program C)
find_package(MPI REQUIRED COMPONENTS C)
include_directories(include)
add_library(grid STATIC grid/grid.c grid/unused.c)
add_library(solver OBJECT solver/solver.c)
add_executable(program main.c $<TARGET_OBJECTS:solver>)
target_link_libraries(program PRIVATE grid MPI::MPI_C)
)");
  for (const char* compiler : {GCC, CLANG}) {
    set("CPPC_CC", compiler);
    const std::string build = std::string("built by ") + fs::path(compiler).filename().string();
    const Finished configured =
        run({"env", "CC=cppc-cc", "cmake", "-S", ".", "-B", build, "-DCMAKE_BUILD_TYPE=Release"});
    EXPECT_EQ(configured.status, 0) << configured.errors;
    const std::string compiler_id = fs::path(compiler) == GCC ? "GNU" : "Clang";
    EXPECT_NE(configured.output.find("The C compiler identification is " + compiler_id), std::string::npos);
    const Finished built = run({"cmake", "--build", build});
    EXPECT_EQ(built.status, 0) << built.errors;
    expect_translated(path(build + "/program"));
  }
}

// The checks that autoconf writes, shortened: output files, cross compiling, options, functions, libraries.
constexpr const char* configure = R"(fail() { echo "$1"; exit 1; }
echo 'int main(void) { return 0; }' > conftest.c
$CC $CFLAGS conftest.c 2> conftest.err || fail "cannot create executables"
test -f a.out || fail "no a.out"
./a.out || fail "cannot run programs"
$CC -o conftest $CFLAGS conftest.c && ./conftest || fail "-o"
$CC -c conftest.c && test -f conftest.o || fail "no conftest.o"
$CC -c -g -std=c99 conftest.c || fail "options"
$CC -c -fno-such-option conftest.c 2> conftest.err && fail "takes every option"
echo 'int f(void) { return undeclared; }' > conftest.c
$CC -c conftest.c 2> conftest.err && fail "takes every program"
echo '#include <no_such_header.h>' > conftest.c
$CC -E conftest.c > conftest.i 2> conftest.err && fail "finds every header"
echo 'char no_such_function(); int main(void) { return no_such_function(); }' > conftest.c
$CC -o conftest conftest.c 2> conftest.err && fail "finds every function"
echo 'char sin(); int main(void) { return sin(); }' > conftest.c
$CC -w -o conftest conftest.c -lm 2> conftest.err || fail "does not find sin in -lm"
if test "$1" = mpi; then
  echo 'char MPI_Init(); int main(void) { return MPI_Init(); }' > conftest.c
  $CC -w -o conftest conftest.c 2> conftest.err || fail "does not find MPI_Init"
fi
$CC --version | head -n 1 > /dev/null && $CC -v 2> conftest.err || fail "version"
rm -f conftest* a.out
echo "CC = $CC" > config.mk
)";

TEST_F(Project, ConfigureAndMake) {
  write_makefiles();
  write("Makefile", "include config.mk\n" + read("Makefile"));
  write("configure", configure);
  set("FAKE_STATUS", "3");
  EXPECT_EQ(well({"env", "CC=cppc-cc", "sh", "configure", "mpi"}), "");
  EXPECT_EQ(well({"env", "CC=cppc-cc", "CPPC_WRAPPER=off", "sh", "configure"}), "");
  set("OMPI_CC", "cppc-cc");
  EXPECT_EQ(well({"env", "CC=mpicc", "CPPC_WRAPPER=off", "sh", "configure", "mpi"}), "");
  set("FAKE_STATUS", "");
  well({"make", "-s"});
  expect_translated("./program");
}

// Real programs, each of its files changed by a comment only: whatever they do, they do it still.
class Application : public Project, public testing::WithParamInterface<const char*> {
 protected:
  Application() {
    // Any user, few cores.
    for (const char* setting : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                                "OMPI_MCA_rmaps_base_oversubscribe", "OMPI_MCA_mpi_yield_when_idle"})
      set(setting, "1");
    set("OMPI_MCA_hwloc_base_binding_policy", "none");
  }
};

INSTANTIATE_TEST_SUITE_P(Applications, Application, testing::Values(APPLICATIONS), [](const auto& application) {
  const std::string sources = application.param;
  return sources.substr(0, sources.find_first_not_of("abcdefghijklmnopqrstuvwxyz"));
});

TEST_P(Application, WorksAsItDid) {
  set("FAKE_CHANGE", "all");
  const Words arguments = [] {
    std::istringstream stream(GetParam());
    return Words{std::istream_iterator<std::string>(stream), {}};
  }();
  Words link{"cppc-cc", "-o", "program"};
  std::size_t compiled = 0;
  Words program{"mpirun", "-n", "2", "./program"};
  for (const std::string& word : arguments) {
    if (!word.ends_with(".c")) {
      program.push_back(word);
      continue;
    }
    const std::string object = std::to_string(compiled++) + ".o";
    well({"cppc-cc", "-O2", "-Wall", "-c", APPLICATIONS_DIRECTORY "/" + word, "-o", object});
    link.push_back(object);
  }
  link.emplace_back("-lm");
  well(link);
  EXPECT_EQ(translated_files().size(), compiled);
  EXPECT_NE(well({"readelf", "-dW", "program"}).find("libcppc.so"), std::string::npos);
  well(program);
}

/// gcc names what it writes beside objects after these, which the second compilation must not change.
TEST_F(WrapperTest, CoverageAndProfilesAreWhereToolsLookForThem) {
  set("CPPC_CC", "gcc");
  write_program();
  std::filesystem::create_directory(path("objects"));
  for (const char* name : {"main", "part"})
    well({"cppc-cc", "--coverage", "-c", std::string(name) + ".c", "-o", std::string("objects/") + name + ".o"});
  well({"cppc-cc", "--coverage", "-o", "program", "objects/main.o", "objects/part.o"});
  EXPECT_EQ(well({"./program"}), "main translated in main.c, part translated\n");
  EXPECT_TRUE(exists("objects/main.gcda"));
  EXPECT_NE(well({"gcov", "-n", "-o", "objects", "main.c"}).find("Lines executed:100.00%"), std::string::npos);
  for (const char* option : {"-fprofile-generate", "-fprofile-use"}) {
    well({"cppc-cc", "-O2", option, "-o", "program", "main.c", "part.c"});
    well({"./program"});
    EXPECT_TRUE(exists("main.cppc.gcda"));
  }
}

TEST_F(WrapperTest, GccsToolsHaveTheNamesThatCMakeLooksFor) {
  write_program();
  well({"cppc-cc", "-c", "part.c"});
  well({"cppc-gcc-ar", "rcs", "all.a", "part.o"});
  well({"cppc-gcc-ranlib", "all.a"});
  EXPECT_NE(well({"cppc-gcc-nm", "all.a"}).find(" T part"), std::string::npos);
}

TEST_F(WrapperTest, APrecompiledHeaderIsNoObject) {
  write_program();
  well({"cppc-cc", "-x", "c-header", "-c", "part.h", "-o", "part.h.gch"});
  EXPECT_TRUE(exists("part.h.gch"));
}

}  // namespace
}  // namespace cppc::driver
