/// Chunks of an image on a connection: each behind its number and its checksum, and behind the last that there are no
/// more. Those that the other side has, or that are zero, are left out.
#pragma once

#include <functional>

#include "image.hpp"
#include "stream.hpp"

namespace cppc::keeper {

Result<void> send_chunk(Stream& stream, std::uint64_t index, std::uint64_t hash, std::span<const std::byte> bytes);
Result<void> send_end(Stream& stream);

/// Each is handed on as it comes, undamaged. `bytes`: of the whole image.
using TakeChunk = std::function<Result<void>(std::uint64_t index, std::span<const std::byte> bytes)>;
Result<void> receive_chunks(Stream& stream, std::uint64_t bytes, const TakeChunk& take);

/// What is to be added (exclusive or) to the old one so that it becomes the other one; without an old one all of it.
/// As long as the longer one.
Result<void> send_difference(Stream& stream, const Image* old, const Image& image);

}  // namespace cppc::keeper
