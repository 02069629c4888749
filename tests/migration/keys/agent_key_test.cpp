#include "cppc/agent_key.hpp"

#include <gtest/gtest.h>

namespace cppc {
namespace {

// printf 'agent 7' | openssl dgst -sha256 -hmac key
TEST(AgentKey, IsAnHmac) {
  EXPECT_EQ(agent_key("key", 7), "447cb3debab8cb16ea68ac10647c20661b3244c4d658bc185571cc0fa404104d");
}

TEST(AgentKey, IsOfOneAgentAndOneJob) {
  EXPECT_NE(agent_key("key", 7), agent_key("key", 8));
  EXPECT_NE(agent_key("key", 7), agent_key("other", 7));
}

TEST(SameSecret, ComparesAllOfIt) {
  EXPECT_TRUE(same_secret("abc", "abc"));
  EXPECT_TRUE(same_secret("", ""));
  for (const char* other : {"", "ab", "abd", "bbc", "abcd"}) EXPECT_FALSE(same_secret("abc", other)) << other;
}

}  // namespace
}  // namespace cppc
