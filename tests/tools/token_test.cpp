#include "token.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "temporary_directory.hpp"

namespace cppc::tools {
namespace {

const std::string token = "0123456789abcdefghijklmnopqrst-._~+/=";

class TokenTest : public testing::Test {
 protected:
  std::string write(const std::string& content, mode_t mode) const {
    const std::string path = directory_.write("token", content);
    EXPECT_EQ(chmod(path.c_str(), mode), 0);
    return path;
  }
  std::string refusal(const std::string& path) const {
    const auto read = read_token(path);
    EXPECT_FALSE(read.has_value());
    EXPECT_NE(read.error().find(path), std::string::npos) << read.error();
    return read.error();
  }
  test::TemporaryDirectory directory_;
};

TEST_F(TokenTest, IsTheFilesOnlyLine) {
  EXPECT_EQ(read_token(write(token + "\n", 0600)), token);
  EXPECT_EQ(read_token(write(token, 0400)), token);
}

TEST_F(TokenTest, AFileThatOthersMayUseIsRefused) {
  for (const mode_t mode : {0644, 0640, 0604, 0620, 0601}) {
    EXPECT_NE(refusal(write(token, mode)).find("has to have mode 0600"), std::string::npos) << mode;
  }
}

TEST_F(TokenTest, AFileOfSomebodyElseIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const std::string path = write(token, 0600);
  ASSERT_EQ(chown(path.c_str(), 65534, 65534), 0);
  EXPECT_NE(refusal(path).find("belongs to somebody else"), std::string::npos);
}

TEST_F(TokenTest, WhatIsNoFileIsRefused) {
  EXPECT_NE(refusal(directory_.path()).find("not a regular file"), std::string::npos);
  EXPECT_NE(refusal(directory_.path() + "/none").find("No such file"), std::string::npos);
  const std::string pipe = directory_.path() + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_NE(refusal(pipe).find("not a regular file"), std::string::npos);
}

TEST_F(TokenTest, WhatIsNoTokenIsRefusedAndNotShown) {
  EXPECT_NE(refusal(write("", 0600)).find("less than 32"), std::string::npos);
  EXPECT_NE(refusal(write(std::string(31, 'x') + "\n", 0600)).find("less than 32"), std::string::npos);
  for (const std::string& wrong : {token + "\n\n", token + " " + token, token + "\r\n", token + '\0',
                                   token + "\xc3\xa4", std::string(5000, 'x'), token + "\nSecond: line"}) {
    const std::string why = refusal(write(wrong, 0600));
    EXPECT_NE(why.find("has to hold one line"), std::string::npos) << why;
    EXPECT_EQ(why.find(token), std::string::npos) << why;
  }
}

}  // namespace
}  // namespace cppc::tools
