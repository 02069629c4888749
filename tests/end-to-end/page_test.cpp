/// The page of a real job, in a real browser.
#include <gtest/gtest.h>

#include "scene.hpp"
#include "secrets.hpp"

namespace cppc::test {
namespace {

const std::string kUrl = "https://127.0.0.1:4711/";
constexpr int kSkipped = 77;

TEST(PageTest, ADragInTheBrowserMovesARank) {
  const Secrets secrets;
  HeatScene scene(3, {"--listen", "127.0.0.1:4711", "--tls-cert", secrets.certificate(), "--tls-key", secrets.key(),
                      "--token-file", secrets.token(), "-H", "node0:2,node1:2,node2:2", "-n", "4"});
  ASSERT_EQ(scene.job().node_of(3), "node1");
  const Finished dragged = scene.cluster().run(
      "head", {"/usr/bin/python3", "-B", CPPC_SOURCE_DIR "/tests/web/drag.py", kUrl, secrets.token(), "3", "node2"});
  if (dragged.status == kSkipped) GTEST_SKIP() << dragged.output;
  ASSERT_EQ(dragged.status, 0) << dragged.output << dragged.errors;
  EXPECT_EQ(scene.job().node_of(3), "node2");
  const Finished traced = scene.job().migrate({"trace", "1"});
  EXPECT_EQ(traced.status, 0) << traced.errors;
  EXPECT_NE(traced.output.find("rank 3: node1 to node2"), std::string::npos) << traced.output;
  EXPECT_NE(traced.output.find("agent of node2"), std::string::npos) << traced.output;
  const Answer result = scene.finish();
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(result.checksum, scene.undisturbed(result).checksum);
}

}  // namespace
}  // namespace cppc::test
