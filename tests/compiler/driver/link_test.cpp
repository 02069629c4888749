/// Linking: which sources are translated, which objects take the place of which.
#include <filesystem>
#include <regex>

#include "wrapper_test.hpp"

namespace cppc::driver {
namespace {

namespace fs = std::filesystem;
using test::Finished;

constexpr const char* all_translated = "main translated in main.c, part translated\n";
constexpr const char* all_plain = "main plain in main.c, part plain\n";

class Link : public WrapperTest, public testing::WithParamInterface<const char*> {
 protected:
  Link() {
    set("CPPC_CC", GetParam());
    write_program();
  }
  // Compiles the program's files to objects.
  void compile() const {
    for (const char* file : {"main.c", "part.c"}) well({"cppc-cc", "-c", file});
  }
  // Links with `arguments`, and what the program prints.
  std::string linked(Words arguments) const {
    arguments.insert(arguments.begin(), {"cppc-cc", "-o", "program"});
    well(arguments);
    return well({"./program"});
  }
};

INSTANTIATE_TEST_SUITE_P(Compilers, Link, testing::Values(COMPILERS));

TEST_P(Link, ObjectsAreReplaced) {
  compile();
  const std::string before = read("main.o");
  EXPECT_EQ(linked({"main.o", "part.o"}), all_translated);
  EXPECT_EQ(translated_files(), (Words{"main.c", "part.c"}));
  EXPECT_EQ(read("main.o"), before);
  EXPECT_EQ(files(), (Words{"main.c", "main.o", "part.c", "part.h", "part.o", "program"}));
}

TEST_P(Link, SourcesAreCompiledAndReplaced) {
  EXPECT_EQ(linked({"main.c", "part.c"}), all_translated);
  EXPECT_EQ(files(), (Words{"main.c", "part.c", "part.h", "program"}));
  well({"cppc-cc", "-c", "part.c"});
  EXPECT_EQ(linked({"part.o", "main.c"}), all_translated);
  write("main.text", read("main.c"));
  EXPECT_EQ(linked({"-x", "c", "main.text", "-x", "none", "part.o"}),
            "main translated in main.text, part translated\n");
  well({"cppc-cc", "main.c", "part.o"});
  EXPECT_EQ(well({"./a.out"}), all_translated);
}

TEST_P(Link, LongNamesOfOptionsAreUnderstood) {
  write("main.text", read("main.c"));
  for (const Words& arguments : std::vector<Words>{
           {"--output=program", "main.c", "part.c"},
           {"--output", "program", "main.c", "part.c"},
           {"--include-directory", ".", "--define-macro", "X=1", "--output=program", "main.c", "part.c"},
           {"--language", "c", "main.text", "--language=none", "part.c", "--output=program"},
           {"--library-directory=.", "--for-linker=-O1", "--for-linker", "-O1", "main.c", "part.c", "-oprogram"}}) {
    Words command = arguments;
    command.insert(command.begin(), "cppc-cc");
    well(command);
    const std::string output = well({"./program"});
    EXPECT_TRUE(output.starts_with("main translated") && output.ends_with("part translated\n"))
        << testing::PrintToString(arguments) << output;
    fs::remove(path("program"));
  }
  for (const Words& arguments : std::vector<Words>{{"-c", "--output=main.o", "main.c"}, {"-c", "--output", "part.o", "part.c"}})
  {
    Words command = arguments;
    command.insert(command.begin(), "cppc-cc");
    well(command);
  }
  EXPECT_EQ(linked({"main.o", "part.o"}), all_translated);
}

TEST_P(Link, UnchangedObjectsAreLinkedAsTheyAre) {
  write("part.c", "#include \"part.h\"\nconst char *part(void) { return \"untouched\"; }\n");
  compile();
  EXPECT_EQ(linked({"main.o", "part.o"}), "main translated in main.c, part untouched\n");
  EXPECT_EQ(linked({"main.c", "part.c"}), "main translated in main.c, part untouched\n");
}

TEST_P(Link, ArchiveMembersThatTheLinkerTakesAreTranslated) {
  compile();
  write("unused.c", "int unused(void) { return sizeof \"plain\"; }\n");
  well({"cppc-cc", "-c", "unused.c"});
  fs::create_directory(path("lib"));
  well({"ar", "rcs", "lib/libparts.a", "unused.o", "part.o"});
  well({"ar", "rcsT", "thin.a", "part.o", "unused.o"});
  for (const Words& arguments : std::vector<Words>{{"main.o", "-Llib", "-lparts"},
                                                   {"main.c", "-L", "lib", "-l", "parts"},
                                                   {"main.o", "lib/libparts.a"},
                                                   {"main.o", "thin.a"},
                                                   {"main.o", "-Llib", "-l:libparts.a"},
                                                   {"main.o", "-Wl,lib/libparts.a"},
                                                   {"main.o", "-Wl,--start-group,lib/libparts.a,thin.a,--end-group"}}) {
    EXPECT_EQ(linked(arguments), all_translated) << testing::PrintToString(arguments);
    EXPECT_EQ(translated_files(), (Words{"main.c", "part.c"})) << testing::PrintToString(arguments);
  }
}

TEST_P(Link, MainMayBeInAnArchive) {
  compile();
  well({"ar", "rcs", "all.a", "main.o", "part.o"});
  EXPECT_EQ(linked({"all.a"}), all_translated);
}

TEST_P(Link, WholeArchivesAreTakenWhole) {
  write("constructed.c",
        "#include <stdio.h>\n"
        "__attribute__((constructor)) static void c(void) { puts(\"plain\"); }\n");
  write("other.c",
        "#include <stdio.h>\n"
        "__attribute__((constructor)) static void c(void) { puts(\"other\"); }\n");
  compile();
  for (const char* file : {"constructed.c", "other.c"}) well({"cppc-cc", "-c", file});
  well({"ar", "rcs", "liball.a", "part.o", "constructed.o", "other.o"});
  well({"ar", "rcsT", "thin.a", "part.o", "constructed.o", "other.o"});
  for (const Words& arguments : std::vector<Words>{
           {"main.o", "-Wl,--whole-archive", "liball.a", "-Wl,--no-whole-archive"},
           {"main.o", "-Wl,--whole-archive,liball.a,--no-whole-archive"},
           {"main.o", "-Wl,--whole-archive", "thin.a", "-Wl,--no-whole-archive"},
           {"main.o", "-L.", "-Xlinker", "--whole-archive", "-lall", "-Xlinker", "--no-whole-archive"}}) {
    const std::string printed = linked(arguments);
    EXPECT_TRUE(printed == std::string("translated\nother\n") + all_translated ||
                printed == std::string("other\ntranslated\n") + all_translated)
        << printed;
  }
}

TEST_P(Link, CombinedObjectsAreReplacedAsAWhole) {
  make_portable();
  write("third.c", "int third = 3;\n");
  compile();
  well({"cppc-cc", "-c", "third.c"});
  well({"ld", "-r", "-o", "both.o", "main.o", "part.o", "third.o"});
  EXPECT_EQ(linked({"both.o"}), all_translated);
  well({"cppc-cc", "-r", "-o", "both.o", "part.o", "third.o"});
  EXPECT_EQ(linked({"main.o", "both.o"}), all_translated);
  well({"ar", "rcs", "both.a", "both.o"});
  EXPECT_EQ(linked({"main.o", "both.a"}), all_translated);
  well({GetParam(), "-c", "third.c"});
  well({"ld", "-r", "-o", "both.o", "part.o", "third.o"});
  fails({"cppc-cc", "main.o", "both.o", "-o", "program"}, 1,
        "both.o is made of several objects, not all of them compiled by");
  EXPECT_FALSE(exists("program"));
}

TEST_P(Link, ResponseFilesAreUnderstood) {
  write("inner words", "main.o part.o");
  write("words", "-o 'the program'\n\"@inner words\" -DTEXT=\\\"x\\\"");
  compile();
  well({"cppc-cc", "@words"});
  EXPECT_EQ(well({"./the program"}), all_translated);
  write("compile words", "-c part.c -o \"part again.o\"");
  well({"cppc-cc", "@compile words"});
  EXPECT_EQ(linked({"main.o", "part again.o"}), all_translated);
}

TEST_P(Link, PathsMayHaveBlanksAndQuotes) {
  fs::create_directory(path("a b"));
  fs::rename(path("main.c"), path("a b/it's \"main\".c"));
  fs::rename(path("part.h"), path("a b/part.h"));
  well({"cppc-cc", "-c", "-I", "a b", "part.c", "-o", "a b/part one.o"});
  well({"cppc-cc", "-c", "a b/it's \"main\".c", "-o", "a b/main one.o"});
  EXPECT_NE(linked({"a b/main one.o", "a b/part one.o"}).find("main translated"), std::string::npos);
}

TEST_P(Link, HeadersAreFoundWhereTheyWere) {
  for (const char* directory : {"source", "build", "quoted"}) fs::create_directory(path(directory));
  fs::rename(path("main.c"), path("source/main.c"));
  fs::rename(path("part.h"), path("source/part.h"));
  write("quoted/part.h", "#error the header beside the source comes first\n");
  well({"env", "-C", "build", "cppc-cc", "-iquote", "../quoted", "-c", "../source/main.c"});
  well({"cppc-cc", "-Isource", "-c", "part.c"});
  EXPECT_EQ(linked({"build/main.o", "part.o"}), "main translated in ../source/main.c, part translated\n");
}

TEST_P(Link, RulesForMakeStayThoseOfTheCompiler) {
  well({"cppc-cc", "-MMD", "-c", "main.c"});
  const std::string rules = read("main.d");
  well({"cppc-cc", "-MMD", "-MF", "other.d", "-c", "part.c"});
  EXPECT_EQ(linked({"main.o", "part.o", "-MMD"}), all_translated);
  EXPECT_EQ(read("main.d"), rules);
  EXPECT_EQ(files(), (Words{"main.c", "main.d", "main.o", "other.d", "part.c", "part.h", "part.o", "program"}));

  well({GetParam(), "-no-pie", MPI_COMPILE_FLAGS, "-MMD", "main.c", "part.o", "-o", "program", MPI_LINK_FLAGS});
  const Words expected = files();
  const std::string one_command = read("program-main.d") + read("program.d");
  EXPECT_NE(one_command, "");
  for (const char* file : {"program-main.d", "program.d"}) fs::remove(path(file));
  EXPECT_EQ(linked({"-MMD", "main.c", "part.o"}), all_translated);
  EXPECT_EQ(files(), expected);
  EXPECT_EQ(read("program-main.d") + read("program.d"), one_command);
}

TEST_P(Link, WarningsAreGivenOnce) {
  write("part.c", "#include \"part.h\"\nconst char *part(void) { int unused; return \"plain\"; }\n");
  const auto warnings = [this](const Words& command) {
    const std::string said = run(command).errors;
    std::size_t count = 0;
    for (std::size_t at = 0; (at = said.find("warning: unused variable", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  EXPECT_EQ(warnings({"cppc-cc", "-Wall", "-c", "part.c"}), 1U);
  EXPECT_EQ(warnings({"cppc-cc", "-Wall", "-c", "main.c"}), 0U);
  EXPECT_EQ(warnings({"cppc-cc", "-Wall", "-o", "program", "main.o", "part.o"}), 0U);
  EXPECT_EQ(warnings({"cppc-cc", "-Wall", "-o", "program", "main.c", "part.c"}), 1U);
  EXPECT_EQ(well({"./program"}), all_translated);
}

TEST_P(Link, LibcppcComesBeforeMpi) {
  compile();
  for (const Words& arguments : std::vector<Words>{{"main.o", "part.o"},
                                                   {MPI_LINK_FLAGS, "main.o", "part.o"},
                                                   {"-Wl,--as-needed", "main.o", "part.o", MPI_LINK_FLAGS}}) {
    EXPECT_EQ(linked(arguments), all_translated);
    const std::string dynamic = well({"readelf", "-dW", "program"});
    const std::size_t cppc = dynamic.find("[libcppc.so.1]"), mpi = dynamic.find("[libmpi.so");
    EXPECT_LT(cppc, mpi) << dynamic;
    EXPECT_NE(mpi, std::string::npos);
    EXPECT_NE(
        dynamic.find("path: [" + std::string(fs::weakly_canonical(installed("bin/" CPPC_LIBRARIES_FROM_PROGRAMS)))),
        std::string::npos);
  }
}

TEST_P(Link, LinkersOptionsDoNotMatter) {
  for (const Words& options : std::vector<Words>{{"-Wl,--gc-sections", "-ffunction-sections"},
                                                 {"-s"},
                                                 {"-no-pie", "-fno-pie"},
                                                 {"-fuse-ld=gold"},
                                                 {"-fuse-ld=lld"}}) {
    Words command{"cppc-cc", "-c", "main.c"};
    if (options.size() > 1) command.push_back(options.back());
    well(command);
    command[2] = "part.c";
    well(command);
    well({"ar", "rcs", "libpart.a", "part.o"});
    EXPECT_EQ(linked({"main.o", "libpart.a", options.front()}), all_translated) << options.front();
  }
}

TEST_P(Link, StrippedProgramsAreSeenThrough) {
  compile();
  well({"strip", "-g", "main.o"});
  well({"strip", "--strip-unneeded", "part.o"});
  for (const char* linker : {"-fuse-ld=bfd", "-fuse-ld=gold", "-fuse-ld=lld"}) {
    EXPECT_EQ(linked({"main.o", "part.o", linker, "-Wl,-s,--gc-sections"}), all_translated) << linker;
    EXPECT_EQ(linked({"main.c", "part.o", linker, "-s"}), all_translated) << linker;
  }
}

TEST_P(Link, ProgramsAreTheSameEveryTime) {
  for (const char* file : {"main.c", "part.c"}) well({"cppc-cc", "-g", "-c", file});
  EXPECT_EQ(linked({"-g", "main.o", "part.o"}), all_translated);
  const std::string first = read("program");
  EXPECT_EQ(linked({"-g", "main.o", "part.o"}), all_translated);
  EXPECT_TRUE(read("program") == first);
  const std::string debug = well({"readelf", "--debug-dump=info", "program"});
  EXPECT_EQ(debug.find("cppc-cc-"), std::string::npos) << debug;
  EXPECT_TRUE(std::regex_search(debug, std::regex("DW_AT_name.*: main\\.c"))) << debug;
}

TEST_P(Link, OtherLanguagesStayWhatTheyAre) {
  write("part.s",
        ".globl part\npart: lea text(%rip), %rax\nret\n.data\ntext: .string \"assembled\"\n"
        ".section .note.GNU-stack,\"\",@progbits\n");
  EXPECT_EQ(linked({"main.c", "part.s"}), "main translated in main.c, part assembled\n");
  fs::remove(path("part.s"));
  well({GetParam(), "-c", "part.c"});
  EXPECT_EQ(linked({"main.c", "part.o"}), "main translated in main.c, part plain\n");
}

TEST_P(Link, OptionsReachTheTranslatorWithTheCommands) {
  make_portable();
  well({"cppc-cc", "-DPART=1", "-O2", "-c", "part.c", "-MD", "-o", "p.o"});
  EXPECT_EQ(linked({"--cppc-report=json", "main.c", "p.o", "--cppc-models=models.toml", "-lm"}), all_translated);
  const auto log = translator_log();
  const Words command = log.at("command");
  EXPECT_EQ(Words(command.begin() + 4, command.end()), (Words{"--report", "json", "--models", "models.toml"}));
  // For omp.h and its like, which only the compiler has.
  const std::string answer = run({GetParam(), "-print-file-name=include"}).output;
  const std::string headers = answer.substr(0, answer.find('\n'));
  const auto& entry = log.at("program").at(1);
  EXPECT_EQ(entry.at("directory"), work_);
  EXPECT_EQ(entry.at("output"), "p.o");
  EXPECT_EQ(entry.at("arguments"),
            (Words{GetParam(), "-DPART=1", "-O2", MPI_COMPILE_FLAGS, "-I" + installed("include"), "-c", "part.c", "-o",
                   "p.o", "-idirafter", headers}));
  EXPECT_EQ(log.at("program").at(0).at("arguments"),
            (Words{GetParam(), MPI_COMPILE_FLAGS, "-I" + installed("include"), "-c", "main.c", "-o", "main.o",
                   "-idirafter", headers}));
}

TEST_P(Link, ProgramsWithNothingToDoAreThoseOfTheCompiler) {
  make_portable();
  write("no_mpi.c", "#include <stdio.h>\nint main(void) { puts(\"plain\"); return 0; }\n");
  EXPECT_EQ(linked({"no_mpi.c"}), "plain\n");
  EXPECT_FALSE(was_translated());
  compile();
  well({"cppc-cc", "-shared", "-o", "libpart.so", "part.o"});
  EXPECT_FALSE(was_translated());
  set("FAKE_STATUS", "3");
  const Finished finished = run({"cppc-cc", "main.o", "part.o", "-o", "program"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_EQ(finished.errors, "cppc: ends with 3\n");
  EXPECT_EQ(well({"./program"}), all_plain);
  EXPECT_EQ(well({"readelf", "-dW", "program"}).find("libcppc"), std::string::npos);
}

TEST_P(Link, MainCompiledWithoutTheWrapperIsNotTranslated) {
  make_portable();
  well({GetParam(), MPI_COMPILE_FLAGS, "-c", "main.c"});
  well({"cppc-cc", "-c", "part.c"});
  EXPECT_EQ(linked({"main.o", "part.o"}), all_plain);
  EXPECT_FALSE(was_translated());
}

}  // namespace
}  // namespace cppc::driver
