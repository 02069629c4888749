/// The messages between source and target, besides the data itself. All have one fixed form.
///
///   source                          target
///   hello: who, how much      ->
///                             <-    welcome
///   (a chunk's data, by RMA)  ->
///   chunk: where, how long, XXH3    (target compares)
///   ...
///   done: how many, XXH3 of all ->
///                             <-    verdict: status
///   bye                       ->
///
/// Without RMA a chunk is announced first, the target answers ready with its index, and its data follows as a message
/// with the tag tag_of(). Either side may end with a verdict at any time, and sends beat when it has had nothing to say
/// for a while. Nothing here relies on messages overtaking each other or not.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "fabric.hpp"

namespace cppc::fabric {

static_assert(std::endian::native == std::endian::little, "messages and offers are little-endian");

inline constexpr std::size_t longest_address = 256;

struct Control {
  enum class Kind : std::uint32_t { hello, welcome, chunk, ready, done, verdict, bye, beat };
  static constexpr std::uint64_t magic_value = 0x31304f5246435043;  // changes with the form of messages

  std::uint64_t magic = magic_value;
  Token token{};
  Kind kind = Kind::beat;
  std::uint32_t status = CPPC_OK;                    // verdict
  std::uint64_t index = 0;                           // chunk, ready: which; done: how many there were
  std::uint64_t offset = 0;                          // chunk: in the image file
  std::uint64_t bytes = 0;                           // chunk: length; hello, done: of all extents
  std::uint64_t size = 0;                            // hello: of the image file
  std::uint64_t hash = 0;                            // chunk: XXH3-64; done: sum of digest_of() over all chunks
  std::uint64_t address_bytes = 0;                   // hello
  std::array<std::byte, longest_address> address{};  // hello: where to answer
};
static_assert(std::is_trivially_copyable_v<Control> && sizeof(Control) == 336);

/// Of a verdict, whatever number it carries.
inline cppc_status status_of(const Control& verdict) {
  return verdict.status <= CPPC_ERR_PEER ? static_cast<cppc_status>(verdict.status) : CPPC_ERR_FABRIC;
}

/// Of a chunk's place and contents. Summed over all chunks it does not depend on their order.
std::uint64_t digest_of(const Control& chunk);

/// The tag for the data of the chunk with this index: not to be guessed without the token. Providers keep some of the
/// upper bits for themselves.
std::uint64_t tag_of(const Token& token, std::uint64_t index);

}  // namespace cppc::fabric
