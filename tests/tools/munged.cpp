#include "munged.hpp"

#include <random>
#include <stdexcept>
#include <thread>

namespace cppc::test {
namespace {

std::string write_key(const TemporaryDirectory& directory) {
  std::random_device random;
  std::string key;
  while (key.size() < 64) key += static_cast<char>(random());
  const std::string path = directory.write("key", key);
  std::filesystem::permissions(path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  // The test may ask in the name of others.
  std::filesystem::permissions(directory.path(), std::filesystem::perms(0711));
  return path;
}

}  // namespace

// --force: its files are in /tmp, which it does not like.
Munged::Munged()
    : process_({"/usr/sbin/munged", "--foreground", "--force", "--socket=" + socket_,
                "--key-file=" + write_key(directory_), "--pid-file=" + directory_.path() + "/pid",
                "--log-file=" + directory_.path() + "/log", "--seed-file=" + directory_.path() + "/seed",
                "--group-update-time=-1", "--origin=127.0.0.1"}) {
  while (!std::filesystem::exists(socket_)) {
    if (!process_.running()) throw std::runtime_error("munged has ended: " + process_.errors());
    std::this_thread::yield();
  }
}

}  // namespace cppc::test
