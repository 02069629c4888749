#include "control_block.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <vector>

namespace cppc::migration {
namespace {

using namespace std::chrono_literals;

Deadline soon() { return Clock::now() + 60s; }

/// Runs `body` in a child; its result is the child's exit status.
pid_t in_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  return child;
}

int status_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(ControlBlockTest, IsOpenedThroughTheAgentsProcess) {
  auto control = ControlBlock::create(7, 3);
  ASSERT_TRUE(control);
  control->slot(6).passed = 42;
  const pid_t agent = getpid();
  const pid_t rank = in_child([&] {
    auto opened = ControlBlock::open(agent, control->descriptor());
    if (!opened || opened->ranks() != 7 || opened->slot(6).passed != 42) return 1;
    opened->slot(6).site = 9;
    return 0;
  });
  EXPECT_EQ(status_of(rank), 0);
  EXPECT_EQ(control->slot(6).site, 9U);
}

TEST(ControlBlockTest, TakeoverReleasesAllRanks) {
  auto control = ControlBlock::create(7, 3);
  ASSERT_TRUE(control);
  control->slot(4).leaving = 1;
  control->command(Action::ship);
  std::uint32_t seen = control->commands();
  auto other = ControlBlock::take_over(UniqueFd(dup(control->descriptor())));
  ASSERT_TRUE(other);
  EXPECT_EQ(other->ranks(), 7);
  EXPECT_EQ(control->await_command(seen, soon()).value(), Action::go_on);
  EXPECT_EQ(control->slot(4).dismissed.get(), 1U) << "nobody waits for its image";
  EXPECT_EQ(control->slot(4).leaving, 0U);
  EXPECT_EQ(control->slot(3).dismissed.get(), 0U);
  EXPECT_EQ(ControlBlock::take_over(ControlBlock::reserve()).error(), CPPC_ERR_MISMATCH);
  EXPECT_EQ(ControlBlock::take_over(UniqueFd()).error(), CPPC_ERR_SYSTEM);
}

TEST(ControlBlockTest, RefusesADescriptorThatIsNoControlBlock) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  EXPECT_FALSE(ControlBlock::open(getpid(), ends[0]));
  EXPECT_FALSE(ControlBlock::open(getpid(), 9999));
  close(ends[0]);
  close(ends[1]);
}

TEST(ControlBlockTest, FileCannotBeTruncated) {
  auto control = ControlBlock::create(7, 3);
  ASSERT_TRUE(control);
  struct stat status {};
  ASSERT_EQ(fstat(control->descriptor(), &status), 0);
  EXPECT_NE(ftruncate(control->descriptor(), 0), 0);
  EXPECT_NE(ftruncate(control->descriptor(), status.st_size + 4096), 0);
  EXPECT_EQ(fcntl(control->descriptor(), F_GET_SEALS), F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
}

/// A control block with one word of its header changed, and opened.
cppc_status opened_with(std::size_t word, std::uint32_t value) {
  auto control = ControlBlock::create(7, 3);
  const std::uint32_t changed = value;
  EXPECT_EQ(pwrite(control->descriptor(), &changed, sizeof changed, static_cast<off_t>(word * sizeof changed)),
            static_cast<ssize_t>(sizeof changed));
  const auto opened = ControlBlock::open(getpid(), control->descriptor());
  return opened ? CPPC_OK : opened.error();
}

TEST(ControlBlockTest, RefusesOneOfAnotherLayout) {
  EXPECT_EQ(opened_with(2, 9), CPPC_OK) << "its own version";
  EXPECT_EQ(opened_with(2, 8), CPPC_ERR_MISMATCH) << "version";
  EXPECT_EQ(opened_with(2, 10), CPPC_ERR_MISMATCH) << "version";
  EXPECT_EQ(opened_with(0, 0), CPPC_ERR_MISMATCH) << "magic";
  EXPECT_EQ(opened_with(3, 8), CPPC_ERR_MISMATCH) << "more ranks than it has room for";
  EXPECT_EQ(opened_with(3, 6), CPPC_ERR_MISMATCH) << "fewer";
}

TEST(ControlBlockTest, LossOfAnEarlierReplacementDoesNotCountForTheNext) {
  auto control = ControlBlock::create(1, 1);
  ASSERT_TRUE(control);
  Slot& slot = control->slot(0);
  slot.expect_replacement();
  EXPECT_FALSE(slot.lost());
  const std::uint32_t first = slot.replacement();
  slot.lose(first);
  EXPECT_TRUE(slot.lost());
  slot.expect_replacement();
  EXPECT_FALSE(slot.lost());
  slot.lose(first);  // by a guardian that is late
  EXPECT_FALSE(slot.lost());
  slot.lose(slot.replacement());
  EXPECT_TRUE(slot.lost());
}

TEST(ControlBlockTest, ReplacementIsLeftFromItsStartUntilItsExit) {
  auto control = ControlBlock::create(1, 1);
  ASSERT_TRUE(control);
  Slot& slot = control->slot(0);
  EXPECT_FALSE(slot.is_left());
  for (int i = 0; i < 2; ++i) {
    slot.expect_replacement();
    EXPECT_FALSE(slot.is_left()) << "it may never come";
    slot.come(slot.replacement());
    EXPECT_TRUE(slot.is_left());
    slot.lose(slot.replacement());
    EXPECT_TRUE(slot.is_left()) << "its guardian is";
    slot.go(slot.replacement());
    EXPECT_FALSE(slot.is_left());
  }
}

TEST(ControlBlockTest, CommandsWakeRanksInOtherProcesses) {
  auto control = ControlBlock::create(1, 4);
  ASSERT_TRUE(control);
  const pid_t agent = getpid();
  const pid_t rank = in_child([&] {
    auto mine = ControlBlock::open(agent, control->descriptor());
    std::uint32_t seen = 0;
    mine->slot(0).stage.set(static_cast<std::uint32_t>(Stage::arrived));
    auto first = mine->await_command(seen, soon());
    if (!first || *first != Action::ship) return 1;
    mine->slot(0).stage.set(static_cast<std::uint32_t>(Stage::shipped));
    auto second = mine->await_command(seen, soon());
    const auto joins = mine->joins();
    if (!second || *second != Action::join) return 2;
    const auto gone = mine->gone();
    return joins.size() == 2 && joins[0] == 5 && joins[1] == 7 && gone.size() == 1 && gone[0] == 6 ? 0 : 3;
  });
  const Slot& slot = control->slot(0);
  ASSERT_TRUE(slot.stage.wait_while(static_cast<std::uint32_t>(Stage::working), soon()));
  control->command(Action::ship);
  ASSERT_TRUE(slot.stage.wait_while(static_cast<std::uint32_t>(Stage::arrived), soon()));
  const std::array<int, 2> joins{5, 7};
  const std::array<int, 1> gone{6};
  control->command(Action::join, joins, gone);
  EXPECT_EQ(status_of(rank), 0);
}

TEST(ControlBlockTest, LateRankGetsAllCommands) {
  auto control = ControlBlock::create(1, 1);
  ASSERT_TRUE(control);
  std::uint32_t seen = control->commands();
  const std::vector<Action> given{Action::next_point, Action::drain, Action::next_point, Action::ship, Action::go_on};
  for (const Action action : given) control->command(action);
  for (const Action action : given) {
    const auto next = control->await_command(seen, soon());
    ASSERT_TRUE(next);
    EXPECT_EQ(*next, action);
  }
  EXPECT_EQ(control->action(), Action::go_on);
  EXPECT_FALSE(control->await_command(seen, Clock::now()));
}

TEST(ControlBlockTest, RankThatMissedWholeMigrationsGoesOn) {
  auto control = ControlBlock::create(1, 1);
  ASSERT_TRUE(control);
  std::uint32_t seen = control->commands();
  for (int migration = 0; migration < 100; ++migration) {
    control->command(Action::none);
    control->command(Action::ship);
  }
  EXPECT_EQ(control->await_command(seen, soon()), Action::go_on);
  EXPECT_EQ(seen, control->commands());
}

TEST(ControlBlockTest, WaitsNoLongerThanTheDeadline) {
  auto control = ControlBlock::create(1, 1);
  ASSERT_TRUE(control);
  std::uint32_t seen = control->commands();
  const auto action = control->await_command(seen, Clock::now() + 1ms);
  ASSERT_FALSE(action);
  EXPECT_EQ(action.error(), CPPC_ERR_TIMEOUT);
  EXPECT_FALSE(control->slot(0).stage.wait_while(static_cast<std::uint32_t>(Stage::working), Clock::now() - 1s));
}

TEST(ControlBlockTest, SlotsOfManyRanksAreApart) {
  auto control = ControlBlock::create(100'000, 64);
  ASSERT_TRUE(control);
  control->slot(0).passed = 1;
  control->slot(99'999).passed = 2;
  control->slot(50'000).passed = 3;
  EXPECT_EQ(control->slot(0).passed, 1U);
  EXPECT_EQ(control->slot(99'999).passed, 2U);
}

}  // namespace
}  // namespace cppc::migration
