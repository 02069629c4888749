/// Memory that a program whose state is kept by address asks for by mmap(): placed between kMappings and kEnd, and had
/// again at the same addresses in another process. What lies there is the program's; the system itself keeps account
/// of it, so that munmap() and mprotect() need no help.
///
/// Carried as bytes: private memory, of files too, and anonymous shared memory, which in the new process is shared with
/// children that it makes from then on. Shared memory of a file is that file's again. Refused by name: shared memory of
/// deleted files and devices, and what the program had put elsewhere (MAP_FIXED outside its own memory, MAP_32BIT,
/// MAP_HUGETLB). Not carried: advice (madvise(), mlock()).
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "bytes.hpp"
#include "cppc/status.h"

namespace cppc::address::mappings {

/// What there is, without the bytes that visit() shows. Changes nothing, but brings shared memory to its file. Errors
/// are logged: CPPC_ERR_UNSUPPORTED; CPPC_ERR_SYSTEM.
cppc_status write(ByteWriter& out);

/// Of all memory that write() has written: what has to be copied, readable, page by page as they are in use, by rising
/// addresses. All the rest of it is zero, of a file or in what write() has written.
cppc_status visit(const std::function<void(std::span<std::byte>)>& show);

/// In the new process, before the bytes come: has the memory, to be written to. Errors are logged: CPPC_ERR_STATE when
/// something is there, CPPC_ERR_NOT_FOUND and CPPC_ERR_MISMATCH for files, CPPC_ERR_MEMORY, CPPC_ERR_IMAGE.
cppc_status map_again(ByteReader& in);

/// When the bytes are there: gives all that map_again() has made the protection that it had. CPPC_ERR_SYSTEM, logged.
cppc_status protect_again();

}  // namespace cppc::address::mappings
