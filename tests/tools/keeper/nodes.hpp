/// Keepers of a few nodes, in this process: what they have, and where others reach it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <random>
#include <span>
#include <vector>

#include "cppc/file_hash.hpp"
#include "peers.hpp"

namespace cppc::keeper {

using Bytes = std::vector<std::byte>;

inline Held image_of(const Bytes& bytes) {
  auto file = Image::file();
  EXPECT_EQ(write(file->get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  auto image = Image::take(std::move(*file), bytes.size(), FileHash::of(bytes));
  EXPECT_TRUE(image) << image.error();
  return *image;
}

inline Bytes bytes_of(const Held& image) { return {image->bytes().begin(), image->bytes().end()}; }

inline Bytes random_bytes(std::size_t size, unsigned seed) {
  std::mt19937_64 random(seed);
  Bytes bytes(size);
  for (std::byte& one : bytes) one = static_cast<std::byte>(random());
  return bytes;
}

class Node {
 public:
  explicit Node(const Peers& peers) {
    auto server = PeerServer::start(peers, images_);
    EXPECT_TRUE(server) << server.error();
    server_ = std::move(*server);
    images_.begin(1);
  }
  Images& images() { return images_; }
  [[nodiscard]] const std::string& addresses() const { return server_->addresses(); }
  void leave_free(std::uint64_t bytes) { free_ = bytes; }

 private:
  std::uint64_t free_ = std::uint64_t{1} << 40;
  Images images_{[this] { return free_; }};
  std::unique_ptr<PeerServer> server_;
};

}  // namespace cppc::keeper
