/// What lies in the shared memory: a header, one slot a rank, the list of ranks that ever attached (so that nobody has
/// to touch the slots of ranks elsewhere), and one table of collective operations a rank. Zero-filled memory is a valid
/// idle page but for the header's constants; what nobody touches takes no memory.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "cppc/cut.hpp"
#include "cppc/cut_rank.hpp"

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

/// What a rank has begun (cut.hpp). Written by the rank; targets, `needed` and what is about withdrawals by its agent.
struct alignas(64) CutTable {
  static constexpr std::uint32_t capacity = 4096;

  /// Of a communicator, a window or a file. In use when `size` > 1. What has no Shared is read by std::atomic_ref.
  struct Row {
    CollectiveCount count;
    Shared<std::uint64_t> target;    // with a part of the id that it is meant for: rows are used again
    Shared<std::uint64_t> what;      // of the operation that has been announced: cut::Operation
    Shared<std::uint64_t> elements;  // likewise
    Shared<std::uint32_t> size;
    std::uint32_t unused;

    [[nodiscard]] bool acknowledged() {
      return std::atomic_ref(count.announced).load() == std::atomic_ref(count.acknowledged).load();
    }
  };

  Shared<std::uint64_t> mark;     // the word in whose turn the rank has stopped
  Shared<std::uint32_t> inside;   // a call that it cannot leave
  Shared<std::uint32_t> kept_by;  // what it was inside of at its last call, if it could not stop there; else 0
  Shared<std::int32_t> waits_for;
  Shared<std::uint32_t> needed;
  Shared<std::uint32_t> end;        // no row in use is at or above; more than `capacity`: there are too many to list
  Shared<std::uint64_t> take_part;  // the announcement whose operations those outside are to take part in
  alignas(64) CurrentOperation current;  // by std::atomic_ref
  alignas(64) Row rows[capacity];

  /// The row in use of communicator `id`.
  Row* find(std::uint64_t id) {
    for (std::uint32_t i = 0; i < std::min(end.load(), capacity); ++i)
      if (rows[i].size.load() > 1 && std::atomic_ref(rows[i].count.id).load() == id) return &rows[i];
    return nullptr;
  }

  /// What the rank is inside of and can be withdrawn; `what` is 0 when there is no such thing. The rank may come out
  /// and begin another one meanwhile, unless somebody has not begun this one.
  cut::Withdrawal within() {
    const auto load = [](std::uint64_t& word) { return std::atomic_ref(word).load(); };
    const std::uint64_t number = load(current.number);
    if (number == 0) return {};
    const cut::Withdrawal seen{load(current.id), number, {load(current.what), load(current.count)}};
    return load(current.number) == number ? seen : cut::Withdrawal{};
  }
};

/// A target, and for whose row: 24 bits of the id, 40 of the count. Rows are used again, and an agent may come late; a
/// target that is mistaken for another's would only cost a round.
constexpr std::uint64_t target_word(std::uint64_t id, std::uint64_t target) {
  return id << 40 | std::min(target, (std::uint64_t{1} << 40) - 1);
}
constexpr std::uint64_t target_for(std::uint64_t id, std::uint64_t word) {
  return word >> 40 == (id & 0xff'ffff) ? word & ((std::uint64_t{1} << 40) - 1) : 0;
}

struct PageLayout {
  static constexpr std::uint64_t expected_magic = 0x6370'7063'7061'6765;  // "cppcpage"
  static constexpr std::uint32_t expected_version = 6;

  std::uint64_t magic;
  std::uint32_t version;
  std::int32_t app_ranks;
  Shared<std::int32_t> agent;

  alignas(64) Shared<std::uint32_t> doorbell;  // alone on its line: all that a working rank reads
  alignas(64) Shared<std::uint64_t> word;
  Shared<std::uint64_t> epoch;         // whole; the word has its low bits. Set before the word opens
  Shared<std::int64_t> answer_within;  // ns: ranks wait no longer than this
  Shared<std::uint32_t> changes;       // futex: rises after each of the agent's changes to the word
  Shared<std::uint64_t> survey;        // number of the latest
  Shared<std::int32_t> listed;         // ranks in the list

  alignas(64) Shared<std::uint64_t> cut;  // cut::Word
  Shared<std::uint64_t> cut_epoch;        // whole; of the latest agreement
  Shared<std::uint32_t> cut_changes;      // futex: rises after each of the agent's changes to it, to targets and needs

  static constexpr std::size_t bytes(int app_ranks) {
    return tables_at(app_ranks) + static_cast<std::size_t>(app_ranks) * sizeof(CutTable);
  }
  static constexpr std::size_t tables_at(int app_ranks) {
    const std::size_t before =
        sizeof(PageLayout) + static_cast<std::size_t>(app_ranks) * (sizeof(Slot) + sizeof(Shared<std::int32_t>));
    return (before + alignof(CutTable) - 1) / alignof(CutTable) * alignof(CutTable);
  }
  Slot& slot(int rank) { return reinterpret_cast<Slot*>(this + 1)[rank]; }
  /// Rank + 1, or 0 where a rank is about to be entered.
  Shared<std::int32_t>& list(int index) {
    return reinterpret_cast<Shared<std::int32_t>*>(reinterpret_cast<Slot*>(this + 1) + app_ranks)[index];
  }
  CutTable& table(int rank) {
    return reinterpret_cast<CutTable*>(reinterpret_cast<std::byte*>(this) + tables_at(app_ranks))[rank];
  }
};
static_assert(sizeof(PageLayout) % alignof(Slot) == 0);

}  // namespace cppc::negotiation::detail
