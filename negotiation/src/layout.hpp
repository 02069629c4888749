/// What lies in the shared memory: a header, one slot a rank, and the list of ranks that ever attached (so that nobody
/// has to touch the slots of ranks elsewhere). Zero-filled memory is a valid idle page but for the header's constants.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace cppc::negotiation::detail {

template <typename T>
using Shared = std::atomic<T>;
static_assert(Shared<std::uint64_t>::is_always_lock_free && Shared<std::uint32_t>::is_always_lock_free,
              "the page is shared between processes");

/// Written by its rank only; `listed` excepted, read by everybody.
struct alignas(64) Slot {
  enum Flag : std::uint32_t { listed = 1, finishing = 2, finished = 4 };
  Shared<std::int32_t> pid;
  Shared<std::uint32_t> flags;
  Shared<std::uint64_t> bytes;
  Shared<std::uint64_t> announced;
  Shared<std::uint64_t> joined;
  Shared<std::uint64_t> stopped;
  Shared<std::uint64_t> refused;
  Shared<std::uint64_t> passed;
  Shared<std::uint32_t> site;
  Shared<std::uint32_t> refusal;
};
static_assert(sizeof(Slot) == 64);

struct PageLayout {
  static constexpr std::uint64_t expected_magic = 0x6370'7063'7061'6765;  // "cppcpage"
  static constexpr std::uint32_t expected_version = 1;

  std::uint64_t magic;
  std::uint32_t version;
  std::int32_t app_ranks;
  std::int32_t agent;

  alignas(64) Shared<std::uint32_t> bell;  // alone on its line: all that a working rank reads
  alignas(64) Shared<std::uint64_t> word;
  Shared<std::uint64_t> epoch;         // whole; the word has its low bits. Set before the word opens
  Shared<std::int64_t> answer_within;  // ns: ranks wait no longer than this
  Shared<std::uint32_t> changes;       // futex: rises after each of the agent's changes to the word
  Shared<std::uint64_t> survey;        // number of the latest
  Shared<std::int32_t> listed;         // ranks in the list

  static constexpr std::size_t bytes(int app_ranks) {
    return sizeof(PageLayout) + static_cast<std::size_t>(app_ranks) * (sizeof(Slot) + sizeof(Shared<std::int32_t>));
  }
  Slot& slot(int rank) { return reinterpret_cast<Slot*>(this + 1)[rank]; }
  /// Rank + 1, or 0 where a rank is about to be entered.
  Shared<std::int32_t>& list(int index) {
    return reinterpret_cast<Shared<std::int32_t>*>(reinterpret_cast<Slot*>(this + 1) + app_ranks)[index];
  }
};
static_assert(sizeof(PageLayout) % alignof(Slot) == 0);

}  // namespace cppc::negotiation::detail
