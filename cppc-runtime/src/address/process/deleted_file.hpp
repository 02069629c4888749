/// Regular files that have no name any more, and that only this process has open: they go along with their contents.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "cppc/status.h"
#include "cppc/unique_fd.hpp"

namespace cppc::address {

/// They are copied while the job stands still.
inline constexpr std::uint64_t kMostOfDeletedFile = std::uint64_t{256} << 20;

struct DeletedFile {
  std::string directory;  ///< where it was
  mode_t mode = 0;        ///< permissions
  std::vector<std::byte> contents;
};

/// `name` is as the system gives it; `created`: the file did not exist before, which counts where the system does not
/// say who has it open. The error says, for a message that names the file, why it cannot be carried.
tl::expected<DeletedFile, std::string> read_deleted(int number, const std::string& name, const struct stat& state,
                                                    bool created);

/// Makes it in the same directory, or where the system has temporary files, and opens it with `flags`, as
/// fcntl(F_GETFL) gives them. The error is logged.
tl::expected<UniqueFd, cppc_status> make_deleted(const DeletedFile& file, int flags);

}  // namespace cppc::address
