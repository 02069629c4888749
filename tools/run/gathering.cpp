#include "gathering.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <span>

#include "../keeper/requests.hpp"
#include "cppc/checkpoint_files.hpp"
#include "cppc/file_hash.hpp"

namespace cppc::run {
namespace {

namespace fs = std::filesystem;
using tools::error;

tl::unexpected<std::string> unwritten(const fs::path& path) {
  return error("cannot write " + path.string() + ": " + std::strerror(errno));
}

bool write_all(const UniqueFd& file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return false;
    bytes = bytes.subspan(written > 0 ? static_cast<std::size_t>(written) : 0);
  }
  return true;
}

/// Of the keeper on `node`, at `addresses`.
Result<void> get_file(const keeper::Peers& peers, const std::string& node, const std::string& addresses,
                      const keeper::Label& label, const fs::path& path) {
  const UniqueFd file(open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!file) return unwritten(path);
  FileHash hash;
  bool kept = true;
  const auto keep = [&](std::uint64_t /*offset*/, std::span<const std::byte> bytes) -> Result<void> {
    hash.add(bytes);
    kept = write_all(file, bytes);
    if (!kept) return unwritten(path);
    return {};
  };
  if (auto got = keeper::ask_for_image(peers, addresses, label, keep); !got)
    return kept ? error(node + ": " + got.error()) : got;
  if (hash.sum() != label.xxh3) return error(node + ": it has another checksum than the rank has told");
  if (fsync(file.get()) != 0) return unwritten(path);
  return {};
}

Result<void> gather_one(const KeeperLinks& links, const ImageSet& set, int rank, const fs::path& directory) {
  const checkpoint::RankImage& image = set.images[static_cast<std::size_t>(rank)];
  const std::string& node = *set.at[static_cast<std::size_t>(rank)].begin();
  const auto link = links.link(node);
  if (link == nullptr) return error("its keeper has ended, on " + node);
  const keeper::Label label{set.number, rank, image.bytes, image.xxh3, /*complete=*/false};
  return get_file({links.settings().key, links.settings().silence}, node, link->addresses(), label,
                  directory / checkpoint::image_file(rank));
}

}  // namespace

Result<void> gather_images(const KeeperLinks& links, const ImageSet& set, const fs::path& directory) {
  for (int rank = 0; rank < static_cast<int>(set.images.size()); ++rank)
    if (const auto done = gather_one(links, set, rank, directory); !done)
      return error("the image of rank " + std::to_string(rank) + " cannot be gathered: " + done.error());
  return {};
}

}  // namespace cppc::run
