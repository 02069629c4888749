#include "own_options.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <sstream>

namespace cppc::run {
namespace {

Result<OwnOptions> take(const std::string& line) {
  std::istringstream stream(line);
  return take_own_options({std::istream_iterator<std::string>(stream), {}});
}

TEST(OwnOptions, WithoutThemNothingListens) {
  const auto options = take("-n 4 ./app --listen here");
  ASSERT_TRUE(options.has_value());
  EXPECT_FALSE(options->network.has_value());
  EXPECT_EQ(options->rest, (std::vector<std::string>{"-n", "4", "./app", "--listen", "here"}));
}

TEST(OwnOptions, ComeBeforeThoseOfMpirun) {
  const auto options = take("--tls-key k --listen 10.0.0.1:4711 --tls-cert c --token-file t -n 4 ./app");
  ASSERT_TRUE(options.has_value()) << options.error();
  ASSERT_TRUE(options->network.has_value());
  EXPECT_EQ(options->network->listen.address, "10.0.0.1");
  EXPECT_EQ(options->network->listen.port, 4711);
  EXPECT_EQ(options->network->certificate, "c");
  EXPECT_EQ(options->network->key, "k");
  EXPECT_EQ(options->network->token_file, "t");
  EXPECT_EQ(options->rest, (std::vector<std::string>{"-n", "4", "./app"}));
  const auto munge = take("--munge --listen [fd00::1]:0 --tls-key k --tls-cert c ./app");
  ASSERT_TRUE(munge.has_value()) << munge.error();
  EXPECT_EQ(munge->network->listen.address, "fd00::1");
  EXPECT_EQ(munge->network->token_file, "");
}

TEST(OwnOptions, PreloadingNeedsNoOther) {
  const auto options = take("--preload -n 4 ./app");
  ASSERT_TRUE(options.has_value()) << options.error();
  EXPECT_TRUE(options->preload);
  EXPECT_FALSE(options->network.has_value());
  EXPECT_EQ(options->rest, (std::vector<std::string>{"-n", "4", "./app"}));
  const auto both = take("--munge --preload --listen 10.0.0.1:1 --tls-key k --tls-cert c ./app");
  ASSERT_TRUE(both.has_value()) << both.error();
  EXPECT_TRUE(both->preload && both->network.has_value());
  const auto programs_own = take("./app --preload");
  ASSERT_TRUE(programs_own.has_value());
  EXPECT_FALSE(programs_own->preload);
}

TEST(OwnOptions, SaysWhatIsMissing) {
  const std::string tls = "--tls-cert c --tls-key k ";
  for (const auto& [line, reason] : std::vector<std::pair<std::string, std::string>>{
           {tls + "--munge ./app", "--listen"},
           {"--listen 10.0.0.1:1 --tls-key k --munge ./app", "--tls-cert"},
           {"--listen 10.0.0.1:1 --tls-cert c --munge ./app", "--tls-key"},
           {tls + "--listen 10.0.0.1:1 ./app", "either --token-file or --munge"},
           {tls + "--listen 10.0.0.1:1 --munge --token-file t ./app", "either --token-file or --munge"},
           {tls + "--munge --munge ./app", "twice"},
           {"--preload --preload ./app", "twice"},
           {"--listen", "missing after the option --listen"}}) {
    const auto options = take(line);
    ASSERT_FALSE(options.has_value()) << line;
    EXPECT_NE(options.error().find(reason), std::string::npos) << options.error();
  }
}

TEST(OwnOptions, ListensAtAddressesOnly) {
  for (const char* wrong : {"4711", ":4711", "login1:4711", "10.0.0.1", "10.0.0.1:", "10.0.0.1:x", "10.0.0.1:70000",
                            "10.0.0.1:-1", "10.0.0.1:1x", "[::1]"}) {
    const auto options = take(std::string("--tls-cert c --tls-key k --munge --listen ") + wrong + " ./app");
    ASSERT_FALSE(options.has_value()) << wrong;
    EXPECT_NE(options.error().find(wrong), std::string::npos) << options.error();
  }
}

TEST(OwnOptions, CheckpointsHaveATimeAndAPlace) {
  const auto options =
      take("--checkpoint-every 10min --checkpoint-to /c/../d/heat --recover 3 --restart /d/7 -n 4 ./app");
  ASSERT_TRUE(options.has_value()) << options.error();
  EXPECT_EQ(options->checkpoints.every, std::chrono::seconds(600));
  EXPECT_EQ(options->checkpoints.directory, "/d/heat");
  EXPECT_EQ(options->checkpoints.recoveries, 3);
  EXPECT_EQ(options->checkpoints.restart, "/d/7");
  EXPECT_EQ(take("--checkpoint-to relative ./app")->checkpoints.directory,
            std::filesystem::current_path() / "relative");
  EXPECT_EQ(take("./app --recover 3")->checkpoints.recoveries, 0);
  for (const char* wrong :
       {"--checkpoint-every 10min ./app", "--recover 3 --checkpoint-to /d ./app", "--checkpoint-to -H node0 ./app",
        "--restart -n 4 ./app", "--checkpoint-every 0 --checkpoint-to /d ./app",
        "--checkpoint-every 5parsecs --checkpoint-to /d ./app",
        "--recover none --checkpoint-every 5 --checkpoint-to /d ./app", "--protect partner ./app",
        "--protect nobody --checkpoint-every 5 ./app", "--protect disk --checkpoint-every 5 ./app",
        "--protect partner --checkpoint-every 5 --checkpoint-to /d ./app"})
    EXPECT_FALSE(take(wrong).has_value()) << wrong;
}

TEST(OwnOptions, ImagesInMemoryHavePartnersOrParities) {
  const auto partner = take("--protect partner --checkpoint-every 5 ./app");
  ASSERT_TRUE(partner) << partner.error();
  EXPECT_TRUE(partner->checkpoints.in_memory);
  EXPECT_FALSE(partner->checkpoints.code);
  for (const auto& [text, code] :
       std::vector<std::pair<std::string, ErasureCode>>{{"rs:4+2", {4, 2}}, {"rs:1+1", {1, 1}}, {"rs:64+8", {64, 8}}}) {
    const auto parities = take("--protect " + text + " --checkpoint-every 5 ./app");
    ASSERT_TRUE(parities) << parities.error();
    EXPECT_TRUE(parities->checkpoints.in_memory);
    EXPECT_EQ(parities->checkpoints.code, code);
  }
  for (const char* wrong : {"nobody", "rs", "rs:", "rs:4", "rs:4+", "rs:+2", "rs:0+1", "rs:1+0", "rs:65+1", "rs:1+9",
                            "rs:-1+1", "rs:4+2+1", "rs:4-2", "rs:4+2x", "rs:4 + 2", "RS:4+2", "rs:99999999999+1"}) {
    std::vector<std::string> words{"--protect", wrong, "--checkpoint-every", "5", "./app"};
    const auto refused = take_own_options(words);
    ASSERT_FALSE(refused) << wrong;
    for (const char* part : {"partner", "rs:K+M", "disk", wrong})
      EXPECT_NE(refused.error().find(part), std::string::npos) << refused.error();
  }
  const auto both = take("--protect rs:4+2 --checkpoint-every 5 --checkpoint-to /d ./app");
  ASSERT_FALSE(both);
  EXPECT_NE(both.error().find("--protect rs:4+2 has checkpoints in memory"), std::string::npos) << both.error();
  EXPECT_FALSE(take("--protect rs:4+2 ./app"));
}

}  // namespace
}  // namespace cppc::run
