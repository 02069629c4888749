/// Objects and archives, whole and damaged.
#include "object_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <random>

#include "archive.hpp"
#include "files.hpp"
#include "record.hpp"
#include "temporary_directory.hpp"

namespace cppc::driver {
namespace {

class ObjectFile : public testing::Test {
 protected:
  // A small object, compiled for the purpose.
  std::string object(const std::string& source, const std::string& name = "x.o") const {
    const std::string path = directory_.path() + "/" + name;
    const std::string command = GCC " -c " + directory_.write("x.c", source) + " -o " + path;
    EXPECT_EQ(std::system(command.c_str()), 0);
    return path;
  }
  std::string archive(const std::string& options, const std::string& objects) const {
    const std::string path = directory_.path() + "/x.a";
    const std::string command = "cd " + directory_.path() + " && rm -f x.a && ar " + options + " x.a " + objects;
    EXPECT_EQ(std::system(command.c_str()), 0);
    return path;
  }
  static ObjectFacts facts(const std::string& bytes) { return read_object(std::as_bytes(std::span(bytes))); }

  test::TemporaryDirectory directory_;
};

TEST_F(ObjectFile, TellsWhatItIs) {
  const ObjectFacts found =
      read_object_file(object("int MPI_Init(int *, char ***);\n"
                              "int main(int c, char **v) { return MPI_Init(&c, &v); }\n"));
  EXPECT_TRUE(found.is_elf && found.is_object && found.defines_main && found.names_mpi && found.has_symbols);
  EXPECT_EQ(found.source_files, 1U);
  EXPECT_EQ(found.commands, "");
  const ObjectFacts other = read_object_file(object("int main(void); int f(void) { return main(); }\n"));
  EXPECT_FALSE(other.defines_main || other.names_mpi);
}

TEST_F(ObjectFile, OtherFilesAreNotTakenForObjects) {
  for (const std::string& path : {std::string("/dev/null"), directory_.path(), directory_.path() + "/absent",
                                  directory_.write("text", "no object"), directory_.write("empty", "")}) {
    const ObjectFacts found = read_object_file(path);
    EXPECT_FALSE(found.is_elf || found.is_object || found.defines_main || found.names_mpi) << path;
    EXPECT_EQ(add_commands(path, "x").value_or(Added::yes), Added::not_elf) << path;
  }
}

TEST_F(ObjectFile, TakesCommandsMoreThanOnce) {
  const std::string path = object("int x;\n");
  ASSERT_TRUE(add_commands(path, "first\n"));
  ASSERT_TRUE(add_commands(path, "second\n"));
  EXPECT_EQ(read_object_file(path).commands, "first\nsecond\n");
}

TEST_F(ObjectFile, HoldsARecordBesideTheMaximumOfSections) {
  std::string source;
  for (int n = 0; n < 65266; ++n)
    source += "__attribute__((section(\".s" + std::to_string(n) + "\"))) char v" + std::to_string(n) + " = 1;\n";
  const std::string path = object(source);
  ASSERT_TRUE(add_commands(path, "first\n"));
  EXPECT_EQ(read_object_file(path).commands, "first\n");
  for (int n = 0; n < 10; ++n) ASSERT_TRUE(add_commands(path, "x"));
  EXPECT_EQ(read_object_file(path).commands, "first\n" + std::string(10, 'x'));
  EXPECT_EQ(std::system(("readelf -hW " + path + " | grep -q 'Number of section headers: *0 (65'").c_str()), 0);
  EXPECT_EQ(std::system(("ld -r -o /dev/null " + path).c_str()), 0);
}

TEST_F(ObjectFile, StaysIntactWhenItCannotBeWritten) {
  const std::string path = object("int x;\n");
  const std::string before = read_regular_file(path).value_or("");
  // As on a full disk: the kernel takes a part of it.
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit full{before.size() + 10, limit.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &full);
  const auto added = add_commands(path, "commands");
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(added);
  EXPECT_NE(added.error().text.find("cannot write into " + path + ": File too large"), std::string::npos);
  EXPECT_EQ(read_regular_file(path).value_or("").substr(0, before.size()), before);
}

TEST_F(ObjectFile, DamagedIsReadWithinItsBounds) {
  const std::string path = object("int MPI_Init(void); int main(void) { return MPI_Init(); }\n");
  ASSERT_TRUE(add_commands(path, "commands\n"));
  const std::string whole = read_regular_file(path).value_or("");
  for (std::size_t size = 0; size < whole.size(); ++size) facts(whole.substr(0, size));
  std::mt19937 random(1);
  for (int n = 0; n < 20000; ++n) {
    std::string damaged = whole;
    for (int bytes = 0; bytes < 3; ++bytes)
      damaged[random() % (n % 2 == 0 ? 64 : damaged.size())] = static_cast<char>(random());
    facts(damaged);
  }
  EXPECT_EQ(facts(whole).commands, "commands\n");
}

TEST_F(ObjectFile, ArchivesHaveTheirMembers) {
  const std::string long_name = "a_name_that_is_longer_than_the_header_allows.o";
  object("int a;\n", "a.o");
  object("int b;\n", long_name);
  for (const char* options : {"rcs", "rcS", "rcsT", "qcs"}) {
    const std::string path = archive(options, "a.o " + long_name);
    const auto members = read_archive(path, read_regular_file(path).value_or(""));
    ASSERT_TRUE(members) << options;
    ASSERT_EQ(members->size(), 2U) << options;
    EXPECT_EQ((*members)[0].name, "a.o");
    EXPECT_EQ((*members)[1].name, long_name);
    EXPECT_EQ((*members)[0].contents, read_regular_file(directory_.path() + "/a.o")) << options;
    EXPECT_EQ((*members)[1].contents, read_regular_file(directory_.path() + "/" + long_name)) << options;
  }
}

TEST_F(ObjectFile, DamagedArchivesAreNamed) {
  object("int a;\n", "a.o");
  const std::string path = archive("rcs", "a.o");
  const std::string whole = read_regular_file(path).value_or("");
  EXPECT_TRUE(is_archive(whole));
  const auto cut = read_archive(path, whole.substr(0, whole.size() - 10));
  ASSERT_FALSE(cut);
  EXPECT_NE(cut.error().text.find("x.a is damaged"), std::string::npos);
  std::mt19937 random(1);
  for (int n = 0; n < 20000; ++n) {
    std::string damaged = whole;
    for (int bytes = 0; bytes < 3; ++bytes) damaged[8 + random() % 150] = static_cast<char>(random());
    (void)read_archive(path, damaged);
  }
}

TEST_F(ObjectFile, RecordsAreReadAsTheyWereWritten) {
  const Record record{"/a b", "it's.c", "o.o", "c", {"ccache", "gcc"}, {"-DX=\"y\"", "-O2"}, "17", true};
  Record other = record;
  other.file = "other.c";
  const std::string section = to_text(record) + to_text(other) + to_text(record);
  const auto records = read_records(section, "x.o");
  ASSERT_TRUE(records);
  EXPECT_EQ(*records, (std::vector<Record>{record, other}));
  for (const std::string& wrong : {std::string("{}"), std::string("{"), section + "x", to_text(record).substr(5)}) {
    const auto failed = read_records(wrong, "x.o");
    ASSERT_FALSE(failed);
    EXPECT_NE(failed.error().text.find("x.o"), std::string::npos);
  }
}

}  // namespace
}  // namespace cppc::driver
