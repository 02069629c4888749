/// Streams of the C library in the program's objects: files that the program has opened are opened again in a
/// replacement. Called by any thread of the program; by capture and restore as handles.hpp says.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "bytes.hpp"
#include "cppc/status.h"

namespace cppc::c_library {

enum class Buffering : std::uint8_t { full, line, none };

/// What a stream is, apart from the process.
struct StreamRecipe {
  std::uint64_t number;  ///< below first_own_handle a standard stream, 1 to 3
  std::string path;      ///< absolute; of a standard stream empty, unless the program has given it a file
  std::string mode;      ///< as for fopen(); empty with the path
  std::int64_t position = 0;
  std::int64_t size = 0;  ///< of a regular file
  Buffering buffering = Buffering::full;
  bool at_end = false;  ///< as feof() says
};

/// The number for a FILE* of the program. The error is for a message that goes on to name the object.
tl::expected<std::uint64_t, std::string> encode(FILE* stream);

/// In a replacement, after reopen().
tl::expected<FILE*, std::string> decode(std::uint64_t stored);

/// Whether a stream that the program has open has this descriptor.
bool is_stream(int descriptor);

/// Flushes all output and writes what is open. CPPC_ERR_UNSUPPORTED, logged by name, when a file could not be opened
/// again.
cppc_status write_streams(ByteWriter& writer);

/// Fails the reader when they are none.
std::vector<StreamRecipe> read_streams(ByteReader& reader);

/// Opens the files where they were, without creating or truncating any. CPPC_ERR_UNSUPPORTED, logged by name, when one
/// is not there.
cppc_status reopen(const std::vector<StreamRecipe>& recipes);

}  // namespace cppc::c_library
