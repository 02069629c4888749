/// Which names the parts of a link have that the translator cannot look at.
#include "outside.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "object_file.hpp"
#include "record.hpp"
#include "temporary_directory.hpp"

namespace cppc::driver {
namespace {

class OutsideTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return directory_.path() + "/" + name; }
  void run(const std::string& command) const {
    EXPECT_EQ(std::system(("cd " + directory_.path() + " && " + command).c_str()), 0) << command;
  }
  void object(const std::string& name, const std::string& source, const std::string& options = "") const {
    directory_.write(name + ".c", source);
    run(GCC " -c " + options + " " + name + ".c");
  }
  Record compiled(const std::string& name) const {
    const Record record{.directory = directory_.path(), .file = name + ".c", .output = name + ".o", .source = "1"};
    EXPECT_EQ(add_commands(path(name + ".o"), to_text(record)).value_or(Added::not_elf), Added::yes);
    return record;
  }
  std::optional<Outside> names(std::vector<std::string> words, std::span<const Record> program) const {
    words.insert(words.begin(), {"-o", path("program")});
    const auto line = parse_command_line(words);
    return names_outside(*line, program, 0, path("program"), {});
  }

  test::TemporaryDirectory directory_;
};

TEST_F(OutsideTest, KnowsWhatObjectsAndArchivesNeedAndHave) {
  object("main", "int main(void) { return 0; }\n");
  object("helper", "extern int block_[9]; static int own; int helper_(void) { return block_[1] + own; }\n");
  object("member", "extern int __state_MOD_x[9]; int used(void) { return __state_MOD_x[1]; }\n");
  run("ar r libmember.a member.o && " GCC " main.o -o program");
  const std::vector<Record> program{compiled("main"), compiled("helper")};
  const auto found = names({path("main.o"), path("helper.o"), "-L" + directory_.path(), "-lmember", "-lm"}, program);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->of_records[0], Names{"main"});
  EXPECT_EQ(found->of_records[1], (Names{"block_", "helper_"}));
  EXPECT_TRUE(found->others.contains("__state_MOD_x") && found->others.contains("used"));
  EXPECT_FALSE(found->others.contains("block_") || found->others.contains("own"));
}

/// As in libraries of Fortran, of modules that have but constants.
TEST_F(OutsideTest, ObjectsWithoutATableOfNamesHaveNone) {
  object("main", "int main(void) { return 0; }\n");
  object("constants", "typedef int nothing;\n");
  object("member", "extern int block_[9]; int used(void) { return block_[1]; }\n");
  run("objcopy --strip-all constants.o && ar r libmember.a constants.o member.o && " GCC " main.o -o program");
  const auto found = names({path("main.o"), "-L" + directory_.path(), "-lmember"}, std::vector{compiled("main")});
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->others.contains("block_"));
}

TEST_F(OutsideTest, SharedLibrariesUseWhatTheProgramOffersThem) {
  object("main", "int block_[9], other_[9]; int get(void); int main(void) { return get(); }\n");
  object("library", "extern int block_[9]; int get(void) { return block_[1]; }\n", "-fPIC");
  run(GCC " -shared library.o -o liblibrary.so && " GCC " main.o -L. -llibrary -o program");
  const auto found = names({path("main.o"), "-L" + directory_.path(), "-llibrary"}, std::vector{compiled("main")});
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->others.contains("block_"));
  EXPECT_FALSE(found->others.contains("other_"));
  run(GCC " -rdynamic main.o -L. -llibrary -o program");
  EXPECT_TRUE(names({path("main.o")}, std::vector{compiled("main")})->others.contains("other_"));
}

TEST_F(OutsideTest, NothingIsKnownWhereNamesAreNotSeen) {
  object("main", "int main(void) { return 0; }\n");
  object("slim", "extern int block_[9]; int helper_(void) { return block_[1]; }\n", "-flto -fno-fat-lto-objects");
  directory_.write("script", "INPUT(main.o)\n");
  run(GCC " main.o -o program");
  const std::vector<Record> program{compiled("main")};
  EXPECT_TRUE(names({path("main.o")}, program));
  EXPECT_TRUE(names({path("main.o"), "-Wl,-rpath,/absent:/another", "-Wl,-rpath", "-Wl,:::"}, program));
  EXPECT_TRUE(names({path("main.o"), "-Wl,--version-script,script,-z,now"}, program));
  EXPECT_FALSE(names({path("main.o"), path("slim.o")}, program));
  EXPECT_FALSE(names({path("main.o"), path("script")}, program));
  EXPECT_FALSE(names({path("main.o"), path("absent.o")}, program));
  EXPECT_FALSE(names({path("main.o"), "-flto"}, program));
  EXPECT_FALSE(names({path("main.o"), "-Wl,--defsym,a_=b_"}, program));
  EXPECT_FALSE(names({path("main.o"), "-Wl,--wrap=a_"}, program));
  EXPECT_FALSE(names({path("main.o"), "-T", "script"}, program));
}

}  // namespace
}  // namespace cppc::driver
