/// Images of a checkpoint's files, as keepers get them.
#include "image_server.hpp"

#include <gtest/gtest.h>

#include "keeper/nodes.hpp"
#include "temporary_directory.hpp"

namespace cppc::run {
namespace {

using namespace std::chrono_literals;

class ImageServerTest : public testing::Test {
 protected:
  ImageServerTest() {
    checkpoint::Checkpoint checkpoint{directory_.path(), {"app-1", "./app", "login", "2026-01-31T12:00:00Z", {}}};
    const std::string text(reinterpret_cast<const char*>(image_.data()), image_.size());
    for (const char* name : {"rank0.h5", "rank1.h5"}) (void)directory_.write(name, text);
    checkpoint.manifest.images.resize(2, {image_.size(), FileHash::of(image_), "build id"});
    auto server = ImageServer::start(peers_, 7, checkpoint);
    EXPECT_TRUE(server) << server.error();
    server_ = *std::move(server);
  }
  keeper::Result<keeper::Held> fetch(std::uint64_t set, int rank, const std::string& key = "a key") {
    return keeper::fetch({key, 5s}, memory_, server_->addresses(),
                         {set, rank, image_.size(), FileHash::of(image_), /*complete=*/true});
  }

  const test::TemporaryDirectory directory_;
  const keeper::Bytes image_ = keeper::random_bytes(3 * keeper::chunk_bytes + 7, 1);
  const keeper::Peers peers_{"a key", 5s};
  keeper::Reservations memory_{[] { return std::uint64_t{1} << 40; }};
  std::unique_ptr<ImageServer> server_;
};

TEST_F(ImageServerTest, GivesWhatIsInTheFiles) {
  for (const int rank : {0, 1}) {
    const auto image = fetch(7, rank);
    ASSERT_TRUE(image) << image.error();
    EXPECT_EQ(keeper::bytes_of(*image), image_);
  }
}

TEST_F(ImageServerTest, RefusesWhatItDoesNotHave) {
  for (const auto& [set, rank] : {std::pair{6, 0}, {7, 2}, {7, -1}})
    EXPECT_FALSE(fetch(static_cast<std::uint64_t>(set), rank));
  EXPECT_FALSE(fetch(7, 0, "another key"));
}

TEST_F(ImageServerTest, TakesNoOtherFileForTheImage) {
  keeper::Bytes other = image_;
  other[keeper::chunk_bytes] ^= std::byte{1};
  (void)directory_.write("rank0.h5", {reinterpret_cast<const char*>(other.data()), other.size()});
  const auto damaged = fetch(7, 0);
  ASSERT_FALSE(damaged);
  EXPECT_NE(damaged.error().find("another checksum"), std::string::npos) << damaged.error();
  (void)directory_.write("rank0.h5", "short");
  const auto cut = fetch(7, 0);
  ASSERT_FALSE(cut);
  EXPECT_NE(cut.error().find("rank0.h5 has another size"), std::string::npos) << cut.error();
  std::filesystem::remove(directory_.path() + "/rank0.h5");
  const auto gone = fetch(7, 0);
  ASSERT_FALSE(gone);
  EXPECT_NE(gone.error().find("rank0.h5: No such file"), std::string::npos) << gone.error();
}

}  // namespace
}  // namespace cppc::run
