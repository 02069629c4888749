/// The page of a real job, in a real browser.
#include <gtest/gtest.h>

#include "expectations.hpp"
#include "scene.hpp"
#include "secrets.hpp"

namespace cppc::test {
namespace {

const std::string kUrl = "https://127.0.0.1:4711/";
constexpr int kSkipped = 77;

/// What a script of tests/web does on the page of this job.
Finished use_page(const HeatScene& scene, const Secrets& secrets, const std::string& script,
                  const std::vector<std::string>& arguments) {
  std::vector<std::string> command{"/usr/bin/python3", "-B", CPPC_SOURCE_DIR "/tests/web/" + script, kUrl,
                                   secrets.token()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return scene.cluster().run("head", command);
}

std::vector<std::string> with_page(const Secrets& secrets, const std::string& nodes) {
  return {"--listen",     "127.0.0.1:4711",
          "--tls-cert",   secrets.certificate(),
          "--tls-key",    secrets.key(),
          "--token-file", secrets.token(),
          "-H",           nodes,
          "-n",           "4"};
}

TEST(PageTest, ADragInTheBrowserMovesARank) {
  const Secrets secrets;
  HeatScene scene(3, with_page(secrets, "node0:2,node1:2,node2:2"));
  ASSERT_EQ(scene.job().node_of(3), "node1");
  const Finished dragged = use_page(scene, secrets, "drag.py", {"3", "node2"});
  if (dragged.status == kSkipped) GTEST_SKIP() << dragged.output;
  ASSERT_EQ(dragged.status, 0) << dragged.output << dragged.errors;
  EXPECT_EQ(scene.job().node_of(3), "node2");
  const Finished traced = scene.job().migrate({"trace", "1"});
  EXPECT_EQ(traced.status, 0) << traced.errors;
  EXPECT_NE(traced.output.find("rank 3: node1 to node2"), std::string::npos) << traced.output;
  EXPECT_NE(traced.output.find("agent of node2"), std::string::npos) << traced.output;
  expect_same_answer(scene);
}

TEST(PageTest, ANodeThatIsNamedInTheBrowserComes) {
  const Secrets secrets;
  HeatScene scene(3, with_page(secrets, "node0:2,node1:2"));
  const Finished added = use_page(scene, secrets, "add.py", {"node2", "3"});
  if (added.status == kSkipped) GTEST_SKIP() << added.output;
  ASSERT_EQ(added.status, 0) << added.output << added.errors;
  EXPECT_EQ(scene.job().node_of(3), "node2");
  expect_same_answer(scene);
}

}  // namespace
}  // namespace cppc::test
