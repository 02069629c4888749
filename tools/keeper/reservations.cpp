#include "reservations.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

namespace cppc::keeper {
namespace {

using tools::error;

constexpr std::uint64_t block = 512;

std::uint64_t memory_of(const UniqueFd& file) {
  struct stat state {};
  return fstat(file.get(), &state) == 0 ? static_cast<std::uint64_t>(state.st_blocks) * block : 0;
}

}  // namespace

// What the files have already is not free any more.
std::uint64_t Reservations::promised() {
  std::uint64_t bytes = 0;
  std::erase_if(promises_, [](const auto& promise) { return promise.expired(); });
  for (const auto& one : promises_)
    if (const auto promise = one.lock()) bytes += promise->bytes - std::min(promise->bytes, memory_of(promise->file));
  return bytes;
}

Result<Reservation> Reservations::make(std::uint64_t bytes, const char* what) {
  const std::lock_guard lock(mutex_);
  // In this order: what is written meanwhile counts twice, rather than not at all.
  const std::uint64_t taken = promised();
  const std::uint64_t free = memory_free_();
  if (free < bytes + taken)
    return error(std::string(what) + " of " + std::to_string(bytes / 1'000'000) +
                 " MB does not fit into its memory, of which " + std::to_string(free / 1'000'000) +
                 " MB are free and " + std::to_string(taken / 1'000'000) + " MB of these promised to other images");
  auto file = Image::file();
  if (!file) return error(file.error());
  UniqueFd same(fcntl(file->get(), F_DUPFD_CLOEXEC, 0));
  if (!same) return error(std::string("no descriptor for ") + what + ": " + std::strerror(errno));
  const auto promise = std::make_shared<const Reservation::Promise>(std::move(same), bytes);
  promises_.emplace_back(promise);
  return Reservation{*std::move(file), promise};
}

}  // namespace cppc::keeper
