/// cppc-c++ and cppc-fc, with the real libcppc: what they link runs under mpirun as what mpicxx and mpifort link.
#include <algorithm>
#include <filesystem>

#include "wrapper_test.hpp"

namespace cppc::driver {
namespace {

namespace fs = std::filesystem;
using test::Finished;

class Languages : public WrapperTest {
 protected:
  Languages() {
    const std::string library = installed("bin/" CPPC_LIBRARIES_FROM_PROGRAMS "/libcppc.so");
    fs::remove(library);
    fs::create_symlink(LIBCPPC, library);
    for (const char* setting : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                                "OMPI_MCA_rmaps_base_oversubscribe", "OMPI_MCA_mpi_yield_when_idle"})
      set(setting, "1");
    set("OMPI_MCA_hwloc_base_binding_policy", "none");
    write("part.f90",
          "subroutine part(n) bind(c)\n use iso_c_binding\n integer(c_int), value :: n\n print *, 'part', n\n"
          "end subroutine\n");
    write("part.cpp",
          "#include <iostream>\nextern \"C\" void part(int n) { std::cout << \"part \" << n << std::endl; }\n");
  }

  // The libraries that `program` names.
  std::string needed() const { return well({"readelf", "-dW", "program"}); }
  void expect_alone() const {
    for (const char* library : {"libstdc++", "libgcc_s", "libgfortran", "libquadmath", "libmpi_cxx"})
      EXPECT_EQ(needed().find(library), std::string::npos) << needed();
    EXPECT_NE(well({"nm", "-D", "program"}).find(" cppc_by_address\n"), std::string::npos);
    EXPECT_NE(well({"readelf", "-hW", "program"}).find("EXEC"), std::string::npos);
    const std::string all = well({"ldd", "program"});
    EXPECT_LT(all.find("libcppc.so"), all.find("libmpi"));
  }
  // What two ranks print, in order.
  std::string of_ranks() const { return well({"sh", "-c", "mpirun -n 2 ./program | sort | tr -s ' '"}); }
};

constexpr const char* cxx_program = R"(#include <mpi.h>
#include <iostream>
#include <stdexcept>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  try {
    throw std::runtime_error("caught");
  } catch (const std::exception& error) {
    std::cout << "rank " << rank << " sum " << sum << " " << error.what() << std::endl;
  }
  MPI_Finalize();
}
)";

TEST_F(Languages, Cxx) {
  write("main.cc", cxx_program);
  for (const char* wrapper : {"cppc-c++", "cppc-cxx"}) {
    for (const char* compiler : {GXX, CLANG}) {
      if (std::string(compiler) == CLANG) set("CPPC_CXX", std::string(CLANG) + " --driver-mode=g++");
      SCOPED_TRACE(compiler);
      well({wrapper, "-O2", "main.cc", "-o", "program"});
      EXPECT_EQ(of_ranks(), "rank 0 sum 1 caught\nrank 1 sum 1 caught\n");
      expect_alone();
      well({wrapper, "-O2", "-c", "main.cc"});
      well({wrapper, "main.o", "-o", "program"});
      EXPECT_EQ(of_ranks(), "rank 0 sum 1 caught\nrank 1 sum 1 caught\n");
      expect_alone();
    }
  }
}

TEST_F(Languages, TheRuntimeInAProgramIsNotThatOfLibcppc) {
  write("main.cc", cxx_program);
  well({"cppc-c++", "main.cc", "-o", "program"});
  EXPECT_EQ(well({"sh", "-c", "nm -D --defined-only program | grep ' T _ZS' || true"}), "");
}

TEST_F(Languages, FortranByAllItsInterfaces) {
  const std::string rest =
      " call mpi_init(e)\n call mpi_comm_rank(mpi_comm_world, r, e)\n s = r\n"
      " call mpi_allreduce(mpi_in_place, s, 1, mpi_integer, mpi_sum, mpi_comm_world, e)\n"
      " print *, 'rank', r, 'sum', s, q > 0\n call mpi_finalize(e)\nend program\n";
  const std::string declarations = " integer :: e, r, s\n real(16) :: q = 1\n";
  write("old.f90", "program p\n include 'mpif.h'\n" + declarations + rest);
  write("use.F90", "program p\n use mpi\n" + declarations + rest);
  write("f08.f08", "program p\n use mpi_f08\n" + declarations + rest);
  for (const char* file : {"old.f90", "use.F90", "f08.f08"}) {
    SCOPED_TRACE(file);
    well({"cppc-fc", "-O2", file, "-o", "program"});
    EXPECT_EQ(of_ranks(), " rank 0 sum 1 T\n rank 1 sum 1 T\n");
    expect_alone();
    well({"cppc-fc", "-c", file, "-o", "program.o"});
    well({"cppc-fc", "program.o", "-o", "program"});
    EXPECT_EQ(of_ranks(), " rank 0 sum 1 T\n rank 1 sum 1 T\n");
  }
}

// Nothing of it is needed at run time, but what uses it cannot be read without it.
TEST_F(Languages, ModulesOfMembersOfArchivesThatTheLinkerDoesNotTake) {
  write("sizes.f90", "module sizes\n integer, parameter :: n = 10\nend module\n");
  write("main.f90",
        "program p\n use mpi\n use sizes\n integer :: e, a(n)\n call mpi_init(e)\n a = n\n print *, sum(a)\n"
        " call mpi_finalize(e)\nend program\n");
  well({"cppc-fc", "-c", "sizes.f90"});
  well({"ar", "rcs", "libsizes.a", "sizes.o"});
  well({"cppc-fc", "main.f90", "-L.", "-lsizes", "-o", "program"});
  const auto program = translator_log().at("program");
  ASSERT_EQ(program.size(), 2);
  EXPECT_EQ(program[0].at("file"), "main.f90");
  EXPECT_FALSE(program[0].contains("modules_only"));
  EXPECT_EQ(program[1].at("file"), "sizes.f90");
  EXPECT_TRUE(program[1].contains("modules_only"));
}

// Makefiles write the directory of -J as a word of its own as often as not.
TEST_F(Languages, OptionsOfFortranWhoseValueIsTheNextWord) {
  write("sizes.f90", "module sizes\n integer, parameter :: n = 10\nend module\n");
  write("main.f90",
        "program p\n use mpi\n use sizes\n integer :: e, a(n)\n call mpi_init(e)\n a = n\n print *, sum(a)\n"
        " call mpi_finalize(e)\nend program\n");
  fs::create_directory(path("modules"));
  for (const char* file : {"sizes.f90", "main.f90"}) well({"cppc-fc", "-O2", "-J", "modules", "-c", file});
  well({"cppc-fc", "main.o", "sizes.o", "-o", "program"});
  EXPECT_EQ(of_ranks(), " 100\n 100\n");
  const Words words = translator_log().at("program")[0].at("arguments");
  const auto option = std::find(words.begin(), words.end(), "-J");
  ASSERT_LT(option - words.begin() + 1, words.size());
  EXPECT_EQ(option[1], "modules");
}

// An object that was compiled with a module that is written anew would be older than it: left as it is at the next link.
TEST_F(Languages, ALinkLeavesModulesAsTheyAre) {
  write("words.f90", "module words\n character(10) :: word = \"plain\"\nend module\n");
  write("main.f90",
        "program p\n use mpi\n use words\n integer :: e\n call mpi_init(e)\n print *, word, \"plain\"\n"
        " call mpi_finalize(e)\nend program\n");
  fs::create_directory(path("modules"));
  for (const Words& option : {Words{}, Words{"-J", "modules"}, Words{"-Jmodules"}}) {
    const std::string module = option.empty() ? "words.mod" : "modules/words.mod";
    for (const char* file : {"words.f90", "main.f90"}) {
      Words compile{"cppc-fc"};
      compile.insert(compile.end(), option.begin(), option.end());
      compile.insert(compile.end(), {"-c", file});
      well(compile);
    }
    const std::string before = read(module);
    well({"cppc-fc", "main.o", "words.o", "-o", "program"});
    EXPECT_EQ(read(module), before);
    EXPECT_EQ(of_ranks(), " translatedtranslated\n translatedtranslated\n");
    if (option.empty()) fs::remove(path(module));
  }
}

TEST_F(Languages, TheTranslatorIsToldToLeaveOutMpisOwnCxxInterface) {
  write("main.cpp", "#include <mpi.h>\nint main(int c, char** v) { MPI_Init(&c, &v); MPI_Finalize(); }\n");
  const auto told = [this] {
    const Words arguments = translator_log().at("program").at(0).at("arguments");
    return std::ranges::find(arguments, "-DOMPI_SKIP_MPICXX") != arguments.end();
  };
  well({"cppc-c++", "main.cpp", "-o", "program"});
  EXPECT_TRUE(told());
  well({"cppc-c++", "-c", "main.cpp"});
  well({"cppc-c++", "main.o", "-o", "program"});
  EXPECT_TRUE(told());
}

// Programs that mpicxx compiles use them.
TEST_F(Languages, HeadersOfMpisOwnCxxInterfaceAreThere) {
  write("main.cpp",
        "extern \"C\" {\n#include <mpi.h>\n}\n"
        "int main(int c, char** v) {\n  MPI_Init(&c, &v);\n  std::map<int, std::pair<int, int>> two{{1, {2, 3}}};\n"
        "  printf(\"%d\\n\", two[1].second);\n  std::cout << two.size() << std::endl;\n  MPI_Finalize();\n}\n");
  well({"cppc-c++", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "main.cpp", "-o", "program"});
  EXPECT_EQ(of_ranks(), "1\n1\n3\n3\n");
}

// Others than GNU C: no __linux__, for one.
TEST_F(Languages, TheTranslatorIsToldWhatFortransCompilerPredefines) {
  set("CPPC_KEEP", path("kept"));
  write("main.F90", "program p\n use mpi\n integer :: e\n call mpi_init(e)\n call mpi_finalize(e)\nend program\n");
  well({"cppc-fc", "-O2", "-DSTEPS=2+3", "main.F90", "-o", "program"});
  const auto commands = nlohmann::json::parse(read("kept/program/commands.json"));
  const std::string macros = read("kept/program/" + commands.at(0).at("macros").get<std::string>());
  for (const char* line : {"#define __GFORTRAN__ 1\n", "#define __OPTIMIZE__ 1\n", "#define STEPS 2+3\n"})
    EXPECT_NE(macros.find(line), std::string::npos) << macros;
  EXPECT_EQ(macros.find("__linux__"), std::string::npos);
}

TEST_F(Languages, MixedProgramsHaveBothRuntimesInside) {
  write("main.f90",
        "program p\n use mpi\n integer :: e\n interface\n subroutine part(n) bind(c)\n use iso_c_binding\n"
        " integer(c_int), value :: n\n end subroutine\n end interface\n call mpi_init(e)\n call part(7)\n"
        " call mpi_finalize(e)\nend program\n");
  write("main.cpp",
        "#include <mpi.h>\nextern \"C\" void part(int);\nint main(int c, char** v) { MPI_Init(&c, &v); part(7); "
        "MPI_Finalize(); }\n");
  write("main.c",
        "#include <mpi.h>\nvoid part(int);\nint main(int c, char** v) { MPI_Init(&c, &v); part(7); "
        "MPI_Finalize(); }\n");
  set("FAKE_STATUS", "3");
  const auto links = [this](const Words& command, const std::string& prints) {
    SCOPED_TRACE(testing::PrintToString(command));
    Words link = command;
    link.insert(link.end(), {"-o", "program"});
    EXPECT_EQ(run(link).status, 0);
    EXPECT_EQ(of_ranks(), prints + prints);
    expect_alone();
  };
  const std::string by_cxx = "part 7\n", by_fortran = " part 7\n";
  links({"cppc-fc", "main.f90", "part.cpp", "-lstdc++"}, by_cxx);
  links({"cppc-c++", "main.cpp", "part.f90", "-lgfortran", "-lm", "-lquadmath"}, by_fortran);
  links({"cppc-cc", "main.c", "part.cpp", "-lstdc++"}, by_cxx);
  links({"cppc-cc", "main.c", "part.f90", "-lgfortran"}, by_fortran);
  links({"cppc-cc", "main.c", "-x", "f95", "part.f90", "-x", "none", "-lgfortran"}, by_fortran);
}

TEST_F(Languages, TheLanguageOfTheMainProgramIsTranslatedWhicheverCompilerLinks) {
  write("main.f90",
        "program p\n use mpi\n integer :: e\n call mpi_init(e)\n call side()\n call mpi_finalize(e)\nend program\n");
  write("side.f90", "subroutine side()\nend subroutine\n");
  write("main.c", "#include <mpi.h>\nvoid side_(void);\nint main(void) { MPI_Init(0, 0); side_(); MPI_Finalize(); }\n");
  write("side.c", "void side_(void) {}\n");
  for (const char* file : {"main.f90", "side.f90"}) well({"cppc-fc", "-c", file, "-o", std::string(file) + ".o"});
  for (const char* file : {"main.c", "side.c"}) well({"cppc-cc", "-c", file, "-o", std::string(file) + ".o"});
  const auto looks_at = [this](const Words& link) {
    well(link);
    Words files;
    const nlohmann::json log = translator_log();
    for (const nlohmann::json& entry : log.at("program"))
      if (!entry.contains("left_out")) files.push_back(entry.at("file"));
    return files;
  };
  const Words fortrans{"-lmpi_usempif08", "-lmpi_usempi_ignore_tkr", "-lmpi_mpifh", "-lgfortran"};
  Words by_cxx{"cppc-c++", "main.f90.o", "side.c.o", "-o", "program"};
  by_cxx.insert(by_cxx.end(), fortrans.begin(), fortrans.end());
  EXPECT_EQ(looks_at(by_cxx), (Words{"main.f90", "side.c"}));
  EXPECT_EQ(looks_at({"cppc-fc", "main.c.o", "side.f90.o", "-o", "program"}), Words{"main.c"});
}

TEST_F(Languages, ARuntimeThatAnotherLibrarySharesIsShared) {
  write("main.cpp",
        "#include <mpi.h>\nextern \"C\" void part(int);\nint main(int c, char** v) { MPI_Init(&c, &v); part(7); "
        "MPI_Finalize(); }\n");
  well({"cppc-c++", "-fPIC", "-shared", "part.cpp", "-o", "libpart.so"});
  well({"cppc-c++", "main.cpp", "-L.", "-lpart", "-Wl,-rpath,.", "-o", "program"});
  EXPECT_EQ(of_ranks(), "part 7\npart 7\n");
  EXPECT_NE(well({"nm", "-D", "program"}).find(" cppc_by_address\n"), std::string::npos);
  EXPECT_NE(well({"ldd", "program"}).find("libstdc++.so"), std::string::npos);
}

TEST_F(Languages, ARuntimeIsSharedWithLibrariesThatTheProgramOpens) {
  write("opened.cpp", "#include <stdexcept>\nextern \"C\" void fail() { throw std::runtime_error(\"by part\"); }\n");
  write("main.cpp",
        "#include <dlfcn.h>\n#include <mpi.h>\n#include <cstdio>\n#include <exception>\n"
        "int main(int c, char** v) {\n  MPI_Init(&c, &v);\n"
        "  auto fail = (void (*)())dlsym(dlopen(\"./libopened.so\", RTLD_NOW), \"fail\");\n"
        "  try { fail(); } catch (std::exception& e) { std::printf(\"%s\\n\", e.what()); }\n  MPI_Finalize();\n}\n");
  well({"cppc-c++", "-fPIC", "-shared", "opened.cpp", "-o", "libopened.so"});
  well({"cppc-c++", "-rdynamic", "main.cpp", "-o", "program"});
  EXPECT_EQ(of_ranks(), "by part\nby part\n");
  EXPECT_NE(well({"ldd", "program"}).find("libstdc++.so"), std::string::npos);
}

/// libcppc has functions of these names, too, and hands on to Open MPI's where nothing can move.
TEST_F(Languages, FortransErrorHandlersAndAttributesAreOpenMpisUnderMpirun) {
  write("main.f90",
        "program handlers\n  use mpi\n  integer :: handler, key, e\n  logical :: found\n  external :: handle\n"
        "  integer(MPI_ADDRESS_KIND) :: value\n  call MPI_Init(e)\n"
        "  call MPI_Comm_create_errhandler(handle, handler, e)\n"
        "  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler, e)\n"
        "  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, key, value, e)\n"
        "  call MPI_Comm_set_attr(MPI_COMM_WORLD, key, 7_MPI_ADDRESS_KIND, e)\n"
        "  call MPI_Comm_get_attr(MPI_COMM_WORLD, key, value, found, e)\n"
        "  call MPI_Send(e, 1, MPI_INTEGER, 99, 0, MPI_COMM_WORLD, e)\n  print *, value\n  call MPI_Finalize(e)\n"
        "end program\nsubroutine handle(comm, code)\n  integer :: comm, code\n  print *, 'called'\nend subroutine\n");
  well({"cppc-fc", "-Wl,--as-needed", "main.f90", "-o", "program"});
  EXPECT_EQ(of_ranks(), " 7\n 7\n called\n called\n");
}

TEST_F(Languages, TheRightWrapperIsNamed) {
  write("main.cpp", cxx_program);
  fails({"cppc-cc", "main.cpp", "-o", "program"}, 1,
        "cppc-cc: main.cpp is C++: compile and link with cppc-c++, or add -lstdc++\n");
  fails({"cppc-cc", "part.f90"}, 1, "cppc-cc: part.f90 is Fortran: compile and link with cppc-fc, or add -lgfortran\n");
  fails({"cppc-c++", "part.f90"}, 1, "cppc-c++: part.f90 is Fortran: compile and link with cppc-fc");
  fails({"cppc-fc", "part.cpp"}, 1, "cppc-fc: part.cpp is C++: compile and link with cppc-c++");
  well({"cppc-cc", "-c", "main.cpp"});
  well({"cppc-fc", "-c", "part.f90"});
  fails({"cppc-cc", "main.o", "-o", "program"}, 1, "cppc-cc: main.o is compiled from C++: link with cppc-c++");
  fails({"cppc-cc", "part.o", "-o", "program"}, 1, "cppc-cc: part.o is compiled from Fortran: link with cppc-fc");
  well({"ar", "rcs", "libpart.a", "part.o"});
  write("user.c", "void part(int);\nint main(void) { part(1); return 0; }\n");
  fails({"cppc-cc", "user.c", "-L.", "-lpart", "-o", "program"}, 1, "libpart.a is compiled from Fortran");
}

TEST_F(Languages, PortableIsForC) {
  for (const char* wrapper : {"cppc-c++", "cppc-fc"})
    fails({wrapper, "--portable", "-c", "part.cpp"}, 1, std::string("there is no --portable in ") + wrapper);
}

TEST_F(Languages, AnswersAreThoseOfMpisWrappersWithItsOwnFlagsAdded) {
  const auto answer = [this](const std::string& wrapper, const std::string& what) {
    std::string text = well({wrapper, "-showme:" + what});
    text.pop_back();
    return text;
  };
  EXPECT_EQ(answer("cppc-c++", "command"), answer("mpicxx", "command"));
  EXPECT_EQ(answer("cppc-fc", "command"), answer("mpifort", "command"));
  EXPECT_NE(answer("cppc-c++", "compile").find("-DOMPI_SKIP_MPICXX"), std::string::npos);
  EXPECT_TRUE(answer("cppc-fc", "compile").ends_with(answer("mpifort", "compile")));
  const std::string of_cc = answer("cppc-cc", "link"), of_cxx = answer("cppc-c++", "link"),
                    of_fc = answer("cppc-fc", "link");
  for (const std::string& link : {of_cc, of_cxx, of_fc}) {
    EXPECT_TRUE(link.starts_with("-no-pie -static-libgcc ")) << link;
    EXPECT_NE(link.find("-Wl,--defsym=cppc_by_address="), std::string::npos) << link;
    EXPECT_LT(link.find("-lcppc"), link.find("-lmpi")) << link;
  }
  EXPECT_NE(of_cxx.find("-static-libstdc++"), std::string::npos) << of_cxx;
  EXPECT_EQ(of_cxx.find("mpi_cxx"), std::string::npos) << of_cxx;
  EXPECT_NE(of_fc.find("-static-libgfortran"), std::string::npos) << of_fc;
  EXPECT_LT(of_fc.find("-lcppc"), of_fc.find("-lmpi_usempif08")) << of_fc;
  EXPECT_NE(answer("cppc-fc", "version").find("cppc-fc: Open MPI"), std::string::npos);
  EXPECT_NE(well({"cppc-c++", "--version"}), "");
}

// As gcc links it: whoever links with it has to have the C++ library, which it finds only when it is a shared one.
TEST_F(Languages, ASharedLibraryMayLeaveTheCxxLibraryToTheProgram) {
  write("part.cc", "extern \"C\" int part() { int* const one = new int(1); const int value = *one; delete one; return value; }\n");
  write("main.f90",
        "program main\n  use mpi\n  integer :: error\n  interface\n    integer(c_int) function part() bind(c)\n"
        "      use iso_c_binding\n    end function\n  end interface\n  call mpi_init(error)\n  print *, part()\n"
        "  call mpi_finalize(error)\nend program\n");
  well({GCC, "-shared", "-fPIC", "-o", "libpart.so", "part.cc"});
  well({"cppc-fc", "main.f90", "-L.", "-lpart", "-lstdc++", "-Wl,-rpath,.", "-o", "program"});
}

// CMake asks the wrapper for its flags and links with the plain compiler. It does not understand flags with blanks.
TEST_F(Languages, FindMpiTakesTheFlags) {
  write("main.cc", cxx_program);
  write("part.cc", "#include <mpi.h>\nint part() { return MPI_SUCCESS; }\n");
  write("CMakeLists.txt", R"(cmake_minimum_required(VERSION 3.13)
project(p CXX)
find_package(MPI REQUIRED COMPONENTS CXX)
add_library(part SHARED part.cc)
target_link_libraries(part PUBLIC MPI::MPI_CXX)
add_executable(program main.cc)
target_link_libraries(program PRIVATE part MPI::MPI_CXX)
set_target_properties(program PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_SOURCE_DIR})
)");
  const Finished configured =
      run({"cmake", "-B", "build", std::string("-DCMAKE_CXX_COMPILER=") + GXX,
           "-DMPI_CXX_COMPILER=" + std::string(fs::path(CPPC_CC_PROGRAM).parent_path() / "cppc-c++"),
           "-DCMAKE_EXE_LINKER_FLAGS=-no-pie -static-libstdc++ -static-libgcc"});
  EXPECT_EQ(configured.status, 0) << configured.errors;
  const Finished built = run({"cmake", "--build", "build"});
  EXPECT_EQ(built.status, 0) << built.output << built.errors;
  EXPECT_EQ(of_ranks(), "rank 0 sum 1 caught\nrank 1 sum 1 caught\n");
  expect_alone();
}

TEST_F(Languages, MpisWrapperMayStandInFront) {
  write("main.cc", cxx_program);
  well({"env", "OMPI_CXX=cppc-c++", "mpicxx", "main.cc", "-o", "program"});
  EXPECT_EQ(of_ranks(), "rank 0 sum 1 caught\nrank 1 sum 1 caught\n");
  EXPECT_NE(well({"nm", "-D", "program"}).find(" cppc_by_address\n"), std::string::npos);
}

/// As where a makefile names MPI's wrappers.
TEST_F(Languages, ALinkMayHaveTheNameOfMpisWrapper) {
  write("main.cc", cxx_program);
  write("main.f90", "program main\n  print *, 'Fortran'\nend program\n");
  std::filesystem::create_symlink(installed("bin/cppc-c++"), path("mpicxx"));
  std::filesystem::create_symlink(installed("bin/cppc-fc"), path("mpif90"));
  well({"./mpicxx", "main.cc", "-o", "program"});
  EXPECT_EQ(of_ranks(), "rank 0 sum 1 caught\nrank 1 sum 1 caught\n");
  well({"./mpif90", "main.f90", "-o", "program"});
  EXPECT_EQ(well({"./program"}), " Fortran\n");
}

}  // namespace
}  // namespace cppc::driver
