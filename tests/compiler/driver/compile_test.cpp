/// -c and everything else that makes no program: as with the compiler alone.
#include <filesystem>

#include "wrapper_test.hpp"

namespace cppc::driver {
namespace {

namespace fs = std::filesystem;
using test::Finished;

class Compile : public WrapperTest, public testing::WithParamInterface<const char*> {
 protected:
  Compile() {
    set("CPPC_CC", GetParam());
    write("good.c", "#include <stdio.h>\n#include <mpi.h>\nint f(void) { return MPI_SUCCESS; }\n");
    write("warned.c", "int f(void) { int unused; return 0; }\nint g(int x) { if (x = 1) return 2; return 0; }\n");
    write("wrong.c", "int f(void) { return no; }\nint g( {\n");
  }

  // The compiler by itself, which then needs to be told where MPI is.
  Words compiler(Words arguments) const {
    arguments.insert(arguments.begin(), GetParam());
    arguments.insert(arguments.end(), {MPI_COMPILE_FLAGS});
    return arguments;
  }
  static Words wrapper(Words arguments) {
    arguments.insert(arguments.begin(), "cppc-cc");
    return arguments;
  }

  void same(const Words& arguments) const {
    const Finished expected = run(compiler(arguments));
    const Finished found = run(wrapper(arguments));
    EXPECT_EQ(found.status, expected.status) << testing::PrintToString(arguments);
    EXPECT_EQ(found.output, expected.output) << testing::PrintToString(arguments);
    EXPECT_EQ(found.errors, expected.errors) << testing::PrintToString(arguments);
  }
};

INSTANTIATE_TEST_SUITE_P(Compilers, Compile, testing::Values(COMPILERS));

TEST_P(Compile, ObjectIsTheCompilersWithItsCommandAppended) {
  make_portable();
  for (const char* option : {"-O2", "-g", "-ffunction-sections"}) {
    run(compiler({option, "-c", "good.c", "-o", "plain.o"}));
    EXPECT_EQ(well({"cppc-cc", option, "-c", "good.c", "-o", "good.o"}), "");
    const std::string plain = read("plain.o"), object = read("good.o");
    constexpr std::size_t header = 64;
    EXPECT_EQ(object.substr(header, plain.size() - header), plain.substr(header));
    EXPECT_NE(object.find(".cppc.command", plain.size()), std::string::npos);
    well({"objcopy", "--remove-section", ".cppc.command", "good.o", "without.o"});
    well({"objcopy", "plain.o", "same.o"});
    EXPECT_EQ(read("without.o"), read("same.o"));
  }
}

TEST_P(Compile, MessagesAndStatusAreTheCompilers) {
  for (const char* file : {"good.c", "warned.c", "wrong.c", "absent.c"}) same({"-Wall", "-Wextra", "-c", file});
  EXPECT_EQ(exists("wrong.o"), false);
  same({"-Wall", "-c", "good.c", "warned.c"});
  same({"-Werror", "-Wall", "-c", "warned.c", "-o", "x.o"});
  EXPECT_EQ(exists("x.o"), false);
  same({"-fno-such-option", "-c", "good.c"});
  same({"-c", "good.c", "-o", "no/such/directory/good.o"});
}

TEST_P(Compile, RulesForMakeAreTheCompilers) {
  for (const Words& options :
       std::vector<Words>{{"-MD"}, {"-MMD", "-MP"}, {"-MD", "-MF", "rules.d", "-MT", "target"}, {"-Wp,-MD,rules.d"}}) {
    const auto rules = [&](const std::string& program) {
      Words command = program == "cppc-cc" ? wrapper(options) : compiler(options);
      command.insert(command.end(), {"-c", "good.c"});
      run(command);
      std::string all = read("good.d") + read("rules.d");
      fs::remove(path("good.d"));
      fs::remove(path("rules.d"));
      return all;
    };
    EXPECT_EQ(rules("cppc-cc"), rules("compiler"));
    EXPECT_NE(rules("cppc-cc"), "");
  }
}

TEST_P(Compile, CommandThatDoesNotCompileIsPassedToTheCompiler) {
  for (const Words& arguments : std::vector<Words>{{"-E", "good.c"},
                                                   {"-M", "good.c"},
                                                   {"-MM", "good.c"},
                                                   {"-S", "good.c", "-o", "-"},
                                                   {"-fsyntax-only", "-Wall", "warned.c"},
                                                   {"-E", "-dM", "good.c"},
                                                   {"--version"},
                                                   {"-dumpversion"},
                                                   {"-dumpmachine"},
                                                   {"-print-prog-name=ld"},
                                                   {"-print-search-dirs"},
                                                   {}}) {
    same(arguments);
  }
}

TEST_P(Compile, OtherInputsArePassedToTheCompiler) {
  write("other.s", ".globl f\nf: ret\n");
  for (const Words& arguments : std::vector<Words>{{"-c", "other.s"},
                                                   {"-x", "assembler", "-c", "other.s"}}) {
    Words command = arguments;
    command.insert(command.end(), {"-o", "object.o"});
    same(command);
    EXPECT_EQ(read("object.o").find(".cppc.command"), std::string::npos);
  }
  same({"-c", "good.c", "-o", "/dev/null"});
}

TEST_P(Compile, ObjectsInCxxHaveTheirCommandsToo) {
  write("other.cpp", "int f() { return nullptr == nullptr; }\n");
  const auto language_in = [this](const Words& command) {
    EXPECT_EQ(well(command), "") << testing::PrintToString(command);
    const std::string object = read("x.o");
    constexpr std::string_view key = "\"language\":\"";
    const std::size_t begin = object.find(key);
    if (begin == std::string::npos) return std::string("none");
    const std::size_t value = begin + key.size();
    return object.substr(value, object.find('"', value) - value);
  };
  EXPECT_EQ(language_in({"cppc-cc", "-c", "other.cpp", "-o", "x.o"}), "");
  EXPECT_EQ(language_in({"cppc-c++", "-c", "other.cpp", "-o", "x.o"}), "");
  EXPECT_EQ(language_in({"cppc-cc", "-x", "c++", "-c", "good.c", "-o", "x.o"}), "c++");
  EXPECT_EQ(language_in({"cppc-c++", "-c", "good.c", "-o", "x.o"}), "c++");  // compilers for C++ take it so
  EXPECT_EQ(language_in({"cppc-cc", "--portable", "-c", "other.cpp", "-o", "x.o"}), "none");
}

TEST_P(Compile, StandardInputPassesThrough) {
  EXPECT_EQ(well({"sh", "-c", "echo 'int a = 7;' | cppc-cc -E -P -x c -"}), "int a = 7;\n");
  well({"sh", "-c", "echo 'int a = 7;' | cppc-cc -c -x c - -o a.o"});
  EXPECT_TRUE(exists("a.o"));
}

TEST_P(Compile, NamedLanguageOverridesTheSuffix) {
  write("source.inc", "int f(void) { return 0; }\n");
  well({"cppc-cc", "-x", "c", "-c", "source.inc", "-o", "x.o"});
  EXPECT_NE(read("x.o").find(".cppc.command"), std::string::npos);
}

TEST_P(Compile, SwitchedOffItIsTheCompiler) {
  set("CPPC_WRAPPER", "off");
  EXPECT_EQ(run({"cppc-cc", "-c", "warned.c"}).status, 0);
  EXPECT_EQ(read("warned.o").find(".cppc.command"), std::string::npos);
  fails({"cppc-cc", "-c", "good.c", "-I/nowhere"}, 1, "mpi.h");
}

TEST_P(Compile, CompilerCacheIsSupported) {
  set("CPPC_CC", std::string("ccache ") + GetParam());
  set("CCACHE_DIR", directory_.path() + "/cache");
  set("CCACHE_HARDLINK", "1");
  well({"cppc-cc", "-c", "good.c", "-o", "first.o"});
  well({"cppc-cc", "-c", "good.c", "-o", "first.o"});
  well({"cppc-cc", "-c", "good.c", "-o", "first.o"});
  const std::string object = read("first.o");
  const std::size_t first = object.find("\"directory\"");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(object.find("\"directory\"", first + 1), std::string::npos) << "the cache's own file was changed";
}

class Alone : public WrapperTest {
 protected:
  Alone() { write("good.c", "int f(void) { return 0; }\n"); }
};

TEST_F(Alone, MpiFlagsAreAddedOnce) {
  set("CPPC_VERBOSE", "1");
  const auto flags = [](const std::string& shown) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = shown.find("openmpi/include ", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  const std::size_t without = flags(run({"cppc-cc", "-c", "good.c"}).errors);
  EXPECT_GT(without, 0U);
  EXPECT_EQ(flags(run({"cppc-cc", MPI_COMPILE_FLAGS, "-c", "good.c"}).errors), without);
}

TEST_F(Alone, SaysWhatIsWrong) {
  fails({"cppc-cc", "--cppc-frobnicate", "-c", "good.c"}, 1, "cppc-cc: there is no option --cppc-frobnicate");
  fails({"cppc-cc", "--cppc-report=xml", "-c", "good.c"}, 1, "cppc-cc: there is no option --cppc-report=xml");
  set("CPPC_CC", "no-such-compiler");
  fails({"cppc-cc", "-c", "good.c"}, 127, "cppc-cc: cannot run no-such-compiler: No such file or directory");
  fails({"cppc-cc", "--version"}, 127, "cppc-cc: cannot run no-such-compiler: No such file or directory");
  set("CPPC_CC", GCC);
  fails({"env", "PATH=/nowhere", installed("bin/cppc-cc"), "-c", "good.c"}, 1,
        "mpicc, which knows the flags of MPI, is not");
  EXPECT_FALSE(exists("good.o"));
}

TEST_F(Alone, AnswersThatCannotBeWrittenAreAFailure) {
  for (const char* question : {"-showme", "-showme:link", "--help"})
    fails({"sh", "-c", std::string("cppc-cc ") + question + " >/dev/full"}, 1,
          "cppc-cc: cannot write to standard output: No space left on device");
}

TEST_F(Alone, WithoutMpiccItStillAnswersForTheCompiler) {
  set("CPPC_CC", GCC);
  EXPECT_EQ(well({"env", "PATH=/nowhere", installed("bin/cppc-cc"), "-dumpversion"}), well({GCC, "-dumpversion"}));
}

TEST_F(Alone, OwnOptionsAreNotTheCompilers) {
  well({"cppc-cc", "--cppc-report=json", "--cppc-models=m.toml", "-c", "good.c"});
  write("words", "--cppc-report=json -c good.c");
  well({"cppc-cc", "@words"});
  set("CPPC_WRAPPER", "off");
  well({"cppc-cc", "--portable", "--cppc-report=json", "-c", "good.c"});
}

TEST_F(Alone, ObjectWithoutItsCommandIsReported) {
  set("CPPC_CC", CLANG);
  const Finished finished = run({"cppc-cc", "-flto", "-c", "good.c"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_NE(finished.errors.find("good.o is no 64-bit ELF object"), std::string::npos) << finished.errors;
}

/// It would ask, and be asked, for ever.
TEST_F(Alone, RecursiveMpiccIsReportedByName) {
  write("first/mpicc", "#!/bin/sh\nexec cppc-cc \"$@\"\n");
  const Finished finished =
      run({"sh", "-c", "chmod +x first/mpicc; PATH=\"$PWD/first:$PATH\"; exec timeout 60 cppc-cc -c good.c"});
  EXPECT_EQ(finished.status, 1);
  EXPECT_NE(finished.errors.find("the mpicc in PATH calls cppc-cc"), std::string::npos) << finished.errors;
}

TEST_F(Alone, AnswersLikeMpiccWithItsOwnFlagsAdded) {
  make_portable();
  const auto mpicc = [this](const std::string& what) {
    std::string answer = well({"mpicc", "-showme:" + what});
    answer.pop_back();
    return answer;
  };
  const std::string headers = installed("include"),
                    libraries = fs::weakly_canonical(installed("bin/" CPPC_LIBRARIES_FROM_PROGRAMS));
  const std::string link = "-L" + libraries + " -lcppc -Wl,-rpath," + libraries + " " + mpicc("link");
  EXPECT_EQ(well({"cppc-cc", "-showme:compile"}), "-I" + headers + " " + mpicc("compile") + "\n");
  EXPECT_EQ(well({"cppc-cc", "--showme:link"}), link + "\n");
  EXPECT_EQ(well({"cppc-cc", "-showme:incdirs"}), headers + " " + mpicc("incdirs") + "\n");
  EXPECT_EQ(well({"cppc-cc", "-showme:libdirs"}), libraries + " " + mpicc("libdirs") + "\n");
  EXPECT_EQ(well({"cppc-cc", "-showme:libs"}), "cppc " + mpicc("libs") + "\n");
  EXPECT_EQ(well({"cppc-cc", "-showme:command"}), mpicc("command") + "\n");
  EXPECT_EQ(well({"cppc-cc", "-showme:version"}), "cppc-cc" + mpicc("version").substr(5) + "\n");
  EXPECT_NE(well({"cppc-cc", "-showme:help"}).find("cppc-cc [-showme"), std::string::npos);
  EXPECT_EQ(well({"cppc-cc", "-show", "-c", "a.c"}), mpicc("command") + " -c a.c " + mpicc("compile") + " -I" + headers + "\n");
  const std::string all = mpicc("command") + " a.o -o a " + mpicc("compile") + " -I" + headers + " " + link + "\n";
  EXPECT_EQ(well({"cppc-cc", "a.o", "-o", "a", "-showme"}), all);
  const std::string usual = mpicc("command");
  set("OMPI_CC", "clang -m64");
  EXPECT_EQ(well({"cppc-cc", "-showme:command"}), "clang -m64\n");
  set("OMPI_CC", "ccache cppc-cc");
  EXPECT_EQ(well({"cppc-cc", "-showme:command"}), usual + "\n");
  set("CPPC_CC", "ccache gcc");
  EXPECT_EQ(well({"cppc-cc", "-showme:command"}), "ccache gcc\n");
}

TEST_F(Alone, HelpHasExamples) {
  const std::string help = well({"cppc-cc", "--help"});
  EXPECT_NE(help.find("Usage: cppc-cc"), std::string::npos);
  EXPECT_NE(help.find("make CC=cppc-cc"), std::string::npos);
}

}  // namespace
}  // namespace cppc::driver
