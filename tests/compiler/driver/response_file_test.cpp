#include "response_file.hpp"

#include <gtest/gtest.h>

#include "temporary_directory.hpp"

namespace cppc::driver {
namespace {

using Words = std::vector<std::string>;

class ResponseFile : public testing::Test {
 protected:
  Words expanded(const std::string& text) const {
    return expand_response_files(Words{std::string("@").append(directory_.write("words", text))});
  }
  test::TemporaryDirectory directory_;
};

TEST_F(ResponseFile, IsSplitAsGccDoes) {
  EXPECT_EQ(expanded(""), Words{});
  EXPECT_EQ(expanded(" a\tb\n\nc\r\n"), (Words{"a", "b", "c"}));
  EXPECT_EQ(expanded("'a b' \"c d\" e\\ f"), (Words{"a b", "c d", "e f"}));
  EXPECT_EQ(expanded("-Dx='\"y z\"' \"it's\""), (Words{"-Dx=\"y z\"", "it's"}));
  EXPECT_EQ(expanded("'' a \"\""), (Words{"", "a", ""}));
  EXPECT_EQ(expanded("\"a\\\"b\" 'c\\'d'"), (Words{"a\"b", "c'd"}));
}

TEST_F(ResponseFile, MayNameOthers) {
  const std::string inner = directory_.write("inner", "b c");
  EXPECT_EQ(expanded("a @" + inner + " d"), (Words{"a", "b", "c", "d"}));
}

TEST_F(ResponseFile, MissingFileIsAnArgument) {
  EXPECT_EQ(expand_response_files(Words{"@/no/such/file", "a"}), (Words{"@/no/such/file", "a"}));
  EXPECT_EQ(expand_response_files(Words{"@" + directory_.path()}), (Words{"@" + directory_.path()}));
}

TEST_F(ResponseFile, RecursionIsLimited) {
  const std::string path = directory_.path() + "/words";
  EXPECT_EQ(expanded("a @" + path).back(), "@" + path);
}

TEST_F(ResponseFile, WrittenIsReadAsTheSameWords) {
  const Words words{"plain", "", "a b", "it's", "say \"x\"", "back\\slash", "tab\tnew\nline", "\\\"", "@at"};
  EXPECT_EQ(expanded(response_file_text(words)), words);
}

}  // namespace
}  // namespace cppc::driver
