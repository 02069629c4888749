/// The messages between source and target, besides the data itself. All have one fixed form.
///
///   source                               target
///   hello: who, bytes of the head  ->
///                                  <-    welcome: slots, memory of its own that may be written to
///   (a chunk's data, by RMA)       ->
///   chunk: where, how long, XXH3         (target compares, and takes what is in a slot to its place)
///                                  <-    taken: the slot is free; again: did not arrive as it was sent
///   ... until the head is there; then
///                                  <-    place: where contents may be written to (several a message); ready: so many
///   (chunks of the contents)       ->
///   ...
///   done: how many, digest of all  ->
///                                  <-    verdict: status
///   bye                            ->
///
/// Without RMA a chunk is announced first, the target answers send with its index, and its data follows as a message
/// with the tag tag_of(). Either side may end with a verdict at any time; the source says verdict and bye when none of
/// its data is under way any more. Either side sends beat when it has had nothing to say for a while. Nothing here
/// relies on messages overtaking each other or not.
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

/// How a chunk's bytes travel.
enum class Coding : std::uint32_t {
  zero,        // not at all: they are zero
  plain,       // as they are, into their place
  packed,      // packing.hpp, by way of a slot
  compressed,  // likewise, and compressed (compressor.hpp)
};

inline bool goes_by_slot(Coding coding) { return coding == Coding::packed || coding == Coding::compressed; }

/// Bytes of the file from `offset` on that may be written to `base` and following.
struct RemotePlace {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t base = 0;
  std::uint64_t key = 0;
};

struct Control {
  enum class Kind : std::uint32_t { hello, welcome, chunk, send, taken, again, place, ready, done, verdict, bye, beat };
  static constexpr std::uint64_t magic_value = 0x32304f5246435043;  // changes with the form of messages
  static constexpr std::size_t most_places = 8;

  std::uint64_t magic = magic_value;
  std::uint64_t check = 0;  // check_of()
  Token token{};
  Kind kind = Kind::beat;
  std::uint32_t status = CPPC_OK;  // verdict
  std::uint64_t index = 0;         // chunk, send, again: which; ready, done: how many there were
  std::uint64_t offset = 0;        // chunk, again: in the file, or in the head
  std::uint64_t bytes = 0;         // chunk, again: of the file; hello: of the head; done: of all chunks
  std::uint64_t sent = 0;          // chunk: bytes that travel
  std::uint64_t hash = 0;          // chunk: XXH3-64 of what travels; done: sum of digest_of() of all
  Coding coding = Coding::zero;    // chunk, again
  std::uint32_t slot = 0;          // chunk, when packed; taken
  std::uint64_t count = 0;         // hello: bytes of the address; place: how many
  std::array<std::byte, longest_address> address{};  // hello: where to answer
  std::array<RemotePlace, most_places> places{};     // place; welcome: the slots, as offset 0, each of `bytes`
};
static_assert(std::is_trivially_copyable_v<Control> && sizeof(Control) == 96 + longest_address + 8 * 32);

/// XXH3-64 of the message but for this very number.
std::uint64_t check_of(Control message);

/// Of a verdict, whatever number it carries.
inline cppc_status status_of(const Control& verdict) {
  return verdict.status <= CPPC_ERR_PEER ? static_cast<cppc_status>(verdict.status) : CPPC_ERR_FABRIC;
}

/// Of a chunk and its place. Summed over all chunks it does not depend on their order.
std::uint64_t digest_of(std::uint64_t index, std::uint64_t offset, std::uint64_t bytes);

/// The tag for the data of the chunk with this index: not to be guessed without the token. Providers keep some of the
/// upper bits for themselves.
std::uint64_t tag_of(const Token& token, std::uint64_t index);

}  // namespace cppc::fabric
