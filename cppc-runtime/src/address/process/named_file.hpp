/// Files that another process opens again by their path.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <tl/expected.hpp>

#include "cppc/status.h"
#include "cppc/unique_fd.hpp"

namespace cppc::address {

struct NamedFile {
  std::string path;
  std::uint64_t inode = 0;  ///< 0: of no matter, as with /dev/null or /proc/self/status
  std::uint64_t bytes = 0;  ///< so long it has to be at least
};

/// What the system calls an open descriptor, as /proc/self/fd has it; empty when it does not say.
std::string name_of(int number);

/// Of a regular file, a directory or a device that each node has: what has to be found again. `name` and `state` are as
/// the system gives them. The error says, for a message that names the object, why no other process can open it.
tl::expected<NamedFile, std::string> find_again(const std::string& name, const struct stat& state);

/// Opens it in another process, with O_CLOEXEC. The error is logged; `object` says for whom it is opened.
tl::expected<UniqueFd, cppc_status> open_named(const NamedFile& file, int flags, const std::string& object);

}  // namespace cppc::address
