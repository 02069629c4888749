// What either end does at moments that two processes would meet by chance only: the other end is played.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "fabric/hash.hpp"
#include "fabric/packing.hpp"
#include "fabric/reception.hpp"
#include "fabric/sender.hpp"
#include "played_endpoint.hpp"

namespace {

using namespace cppc::fabric;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Kind = Control::Kind;
using played::other_end;

constexpr std::size_t slot_bytes = std::size_t{1} << 20;

Offer offer_of(bool rma) { return {.provider = "played", .rma = rma, .token = played::token}; }

// ------------------------------------------------------------------------------------------------------- the source

class Source : public testing::TestWithParam<bool> {
 protected:
  /// How a source of one large extent ends, whose target answers as a target does; `answer` sees what it says first.
  static cppc_status send(const std::function<bool()>& cancelled, const std::function<void(const Control&)>& answer) {
    const bool rma = GetParam();
    const auto endpoint = played::make_endpoint(rma);
    other_end().polls_of_a_transfer = 5;
    other_end().heard = [&answer](const Control& message) {
      answer(message);
      if (message.kind == Kind::hello) welcome();
      if (message.kind == Kind::chunk && !GetParam()) other_end().send({.kind = Kind::send, .index = message.index});
      if (message.kind == Kind::verdict) other_end().send({.kind = Kind::bye});
    };
    static const std::vector<std::byte> contents(1 << 20, std::byte{7});
    static const std::vector<Extent> extents{{0, contents}};
    const Offer offer = offer_of(rma);
    const Cargo cargo{.head = extents, .contents = {}};
    const TransferLimits limits{.deadline = Clock::now() + 1min, .cancelled = cancelled};
    const Progress progress;
    const auto sent = Sender(*endpoint, offer, cargo, limits, progress, Tuning{}).run();
    return sent ? CPPC_OK : sent.error();
  }

 private:
  static void welcome() {
    Control message{.kind = Kind::welcome, .bytes = slot_bytes};
    message.places[0].bytes = 4;
    other_end().send(message);
  }
};

TEST_P(Source, CompletesWhatIsUnderWayBeforeItGivesUp) {
  std::size_t under_way = 0, at_the_end = 0;
  const auto cancelled = [&] { return (under_way = std::max(under_way, other_end().moving())) > 0; };
  const auto answer = [&](const Control& message) {
    if (message.kind == Kind::verdict) at_the_end = other_end().moving();
  };
  EXPECT_EQ(send(cancelled, answer), CPPC_ERR_CANCELLED);
  EXPECT_GT(under_way, 0U);
  EXPECT_EQ(at_the_end, 0U);
}

TEST_P(Source, CompletesWhatIsUnderWayBeforeItLeavesATargetThatGivesUp) {
  bool given_up = false, left = false;
  std::size_t at_the_end = 0;
  const auto give_up = [&] {
    if (!given_up && other_end().moving() > 0) {
      other_end().send({.kind = Kind::verdict, .status = CPPC_ERR_MEMORY});
      given_up = true;
    }
    return false;
  };
  const auto answer = [&](const Control& message) {
    if (message.kind != Kind::bye) return;
    left = true;
    at_the_end = other_end().moving();
  };
  EXPECT_EQ(send(give_up, answer), CPPC_ERR_MEMORY);
  EXPECT_TRUE(left);
  EXPECT_EQ(at_the_end, 0U);
}

INSTANTIATE_TEST_SUITE_P(Ways, Source, testing::Bool(), [](const auto& info) { return info.param ? "rma" : "tagged"; });

// ------------------------------------------------------------------------------------------------------- the target

/// A source that sends an empty head and then gives only signs of life.
class PlayedSource {
 public:
  PlayedSource() : endpoint_(played::make_endpoint(true)) {
    other_end().registered = [this](std::span<const std::byte> memory) { take_note(memory); };
    other_end().heard = [this](const Control& message) { answer(message); };
    other_end().send({.kind = Kind::hello, .bytes = head.size(), .count = 16});
  }

  /// How the target ends, once it has made room.
  cppc_status serve(const Unpack& unpack, std::chrono::milliseconds silence) {
    const TransferLimits limits{
        .deadline = Clock::now() + 1min, .cancelled = [this] { return ready; }, .silence = silence};
    const Offer offer = offer_of(true);
    const Progress progress;
    const auto received = Reception(*endpoint_, offer, unpack, limits, progress).run();
    return received ? CPPC_OK : received.error();
  }

  std::function<void()> while_registering = [] {};
  std::vector<RemotePlace> places;
  int beats = 0;  ///< that have come, before it was ready
  bool ready = false;

 private:
  void take_note(std::span<const std::byte> memory) {
    if (memory.size() == 4 * slot_bytes) slots_ = {const_cast<std::byte*>(memory.data()), memory.size()};
    if (welcome_) while_registering();
  }

  void answer(const Control& message) {
    if (message.kind == Kind::welcome) send_head();
    if (message.kind == Kind::beat && !ready) ++beats;
    if (message.kind == Kind::place)
      places.insert(places.end(), message.places.begin(), message.places.begin() + message.count);
    if (message.kind == Kind::ready) ready = true;
    if (message.kind == Kind::verdict) other_end().send({.kind = Kind::bye});
    if (message.kind == Kind::beat) other_end().send({.kind = Kind::beat});
  }

  void send_head() {
    welcome_ = true;
    const std::vector<std::span<const std::byte>> pieces{head};
    const auto packed = slots_.first(pack(pieces, slots_));
    other_end().send({.kind = Kind::chunk,
                      .bytes = head.size(),
                      .sent = packed.size(),
                      .hash = hash_of(packed),
                      .coding = Coding::packed});
  }

  const std::vector<std::byte> head = std::vector<std::byte>(8);  // a table without rows
  std::unique_ptr<Endpoint::Impl> endpoint_;
  std::span<std::byte> slots_;
  bool welcome_ = false;
};

TEST(Target, GivesSignsOfLifeWhileItUnpacks) {
  PlayedSource source;
  const Unpack unpack = [&](std::span<const Extent>,
                            const KeepAlive& keep_alive) -> tl::expected<std::vector<Place>, cppc_status> {
    for (const auto end = Clock::now() + 30s; source.beats < 12 && Clock::now() < end;) {  // for longer than a silence
      if (auto alive = keep_alive(); !alive) return tl::unexpected(alive.error());
      std::this_thread::sleep_for(1ms);
    }
    return std::vector<Place>();
  };
  EXPECT_EQ(source.serve(unpack, 1s), CPPC_ERR_CANCELLED);
  EXPECT_TRUE(source.ready);
  EXPECT_GE(source.beats, 12);
}

TEST(Target, EndsItsUnpackingWhenTheSourceIsGone) {
  PlayedSource source;
  cppc_status first = CPPC_OK, again = CPPC_OK;
  const Unpack unpack = [&](std::span<const Extent>,
                            const KeepAlive& keep_alive) -> tl::expected<std::vector<Place>, cppc_status> {
    other_end().heard = [](const Control&) {};  // from here on it says nothing
    auto alive = keep_alive();
    for (const auto end = Clock::now() + 30s; alive && Clock::now() < end; alive = keep_alive())
      std::this_thread::sleep_for(1ms);
    first = alive ? CPPC_OK : alive.error();
    const auto once_more = keep_alive();
    again = once_more ? CPPC_OK : once_more.error();
    return tl::unexpected(CPPC_ERR_FABRIC);
  };
  EXPECT_EQ(source.serve(unpack, 500ms), CPPC_ERR_FABRIC);
  EXPECT_EQ(first, CPPC_ERR_FABRIC);
  EXPECT_EQ(again, CPPC_ERR_FABRIC);
}

TEST(Target, RegistersLargeMemoryInPiecesAndGivesSignsOfLifeInBetween) {
  constexpr std::size_t bytes = (std::size_t{5} << 30) / 2;  // never touched
  void* memory = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const std::span place(static_cast<std::byte*>(memory), bytes);
  PlayedSource source;
  source.while_registering = [] { std::this_thread::sleep_for(250ms); };  // longer than between two signs
  const Unpack unpack = [&](std::span<const Extent>,
                            const KeepAlive&) -> tl::expected<std::vector<Place>, cppc_status> {
    return std::vector<Place>{{4096, place}};
  };
  EXPECT_EQ(source.serve(unpack, 2s), CPPC_ERR_CANCELLED);
  EXPECT_TRUE(source.ready);
  EXPECT_GE(source.beats, 2);
  ASSERT_EQ(source.places.size(), 3U);
  std::uint64_t offset = 4096, base = reinterpret_cast<std::uintptr_t>(memory);
  for (const RemotePlace& one : source.places) {
    EXPECT_EQ(one.offset, offset);
    EXPECT_EQ(one.base, base);
    offset += one.bytes, base += one.bytes;
  }
  EXPECT_EQ(offset, 4096 + bytes);
  munmap(memory, bytes);
}

}  // namespace
