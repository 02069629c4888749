// The page and a rank's side of it, against a page whose word the test moves by hand where no agent is needed.

#include "cppc/page.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <memory>
#include <thread>
#include <utility>

#include "cppc/negotiation.hpp"
#include "layout.hpp"
#include "local_tree.hpp"

namespace {

using namespace cppc::negotiation;
using namespace std::chrono_literals;

RankSide attached(const Page& page, int rank) {
  auto opened = Page::open(getpid(), page.fd());
  EXPECT_TRUE(opened);
  auto side = RankSide::attach(std::move(*opened), rank);
  EXPECT_TRUE(side);
  return std::move(*side);
}

class PageOfEight : public testing::Test {
 protected:
  Page page = Page::create(8).value();
  test::SharedTree memory{};
  test::LocalTree tree{memory, 0, 1};
  AgentSide agent{page, tree};

  void start(std::vector<int> ranks) { ASSERT_TRUE(agent.start(agent.epoch() + 1, 1h, std::move(ranks))); }
};

TEST(Page, RefusesNonsense) {
  EXPECT_EQ(Page::create(0).error(), CPPC_ERR_ARGUMENT);
  EXPECT_EQ(Page::create(-1).error(), CPPC_ERR_ARGUMENT);
  EXPECT_EQ(Page::open(getpid(), 9999).error(), CPPC_ERR_SYSTEM);
}

TEST(Page, RefusesFilesThatAreNoPage) {
  const int device = ::open("/dev/null", O_RDWR);
  EXPECT_EQ(Page::open(getpid(), device).error(), CPPC_ERR_MISMATCH);
  const int blank = memfd_create("blank", MFD_CLOEXEC);
  EXPECT_EQ(Page::open(getpid(), blank).error(), CPPC_ERR_MISMATCH);
  ASSERT_EQ(ftruncate(blank, 1 << 16), 0);
  EXPECT_EQ(Page::open(getpid(), blank).error(), CPPC_ERR_MISMATCH);
  close(device);
  close(blank);
}

/// An agent that has made a page in `file`, and is killed with this object.
class OtherAgent {
 public:
  explicit OtherAgent(int file) {
    std::array<int, 2> ready{};
    EXPECT_EQ(pipe(ready.data()), 0);
    process_ = fork();
    if (process_ == 0) {
      const auto page = Page::create(4, cppc::UniqueFd(file));
      if (page && write(ready[1], "x", 1) == 1) pause();
      _exit(1);
    }
    char word = 0;
    EXPECT_EQ(read(ready[0], &word, 1), 1);
    for (const int end : ready) close(end);
  }
  OtherAgent(const OtherAgent&) = delete;
  OtherAgent& operator=(const OtherAgent&) = delete;
  ~OtherAgent() { kill_it(); }
  void kill_it() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(std::exchange(process_, -1), nullptr, 0);
  }

 private:
  pid_t process_ = -1;
};

TEST(Page, IsTakenOverByAnotherAgent) {
  const auto file = Page::reserve();
  OtherAgent first(file.get());
  RankSide rank = RankSide::attach(Page::open(getpid(), file.get()).value(), 2).value();
  EXPECT_FALSE(rank.agent_gone());
  first.kill_it();
  EXPECT_TRUE(rank.agent_gone());
  Page page = Page::take_over(cppc::UniqueFd(dup(file.get()))).value();
  EXPECT_FALSE(rank.agent_gone());
  EXPECT_EQ(page.ranks(), std::vector<int>{2});
  test::SharedTree memory{};
  test::LocalTree tree(memory, 0, 1);
  AgentSide agent(page, tree);
  ASSERT_TRUE(agent.start(1, 1h, {2}));
  EXPECT_EQ(rank.reached(7, 1), Decision::go_on);
  EXPECT_EQ(agent.poll().value(), AgentSide::State::decided);
}

TEST_F(PageOfEight, TakeoverCancelsTheNegotiation) {
  RankSide rank = attached(page, 2);
  start({2});
  EXPECT_EQ(rank.reached(7, 1), Decision::go_on);
  EXPECT_EQ(agent.poll().value(), AgentSide::State::decided);
  EXPECT_NE(*page.doorbell(), 0U);
  Page other = Page::take_over(cppc::UniqueFd(dup(page.fd()))).value();
  EXPECT_EQ(*other.doorbell(), 0U);
  EXPECT_EQ(rank.reached(8, 1), Decision::go_on);
  test::SharedTree messages{};
  test::LocalTree neighbours(messages, 0, 1);
  AgentSide next(other, neighbours);
  ASSERT_TRUE(next.start(agent.epoch() + 1, 1h, {2}));
  EXPECT_EQ(rank.reached(9, 1), Decision::go_on);
  EXPECT_EQ(next.poll().value(), AgentSide::State::decided);
  EXPECT_EQ(rank.reached(next.migration_point(), 1), Decision::stop);
}

TEST(Page, TakesOverPagesOnly) {
  EXPECT_EQ(Page::take_over(Page::reserve()).error(), CPPC_ERR_MISMATCH);
  EXPECT_EQ(Page::take_over(cppc::UniqueFd()).error(), CPPC_ERR_SYSTEM);
}

TEST(Page, CannotBeCutOff) {
  const Page page = Page::create(8).value();
  EXPECT_NE(ftruncate(page.fd(), 0), 0);
}

TEST(Page, TakesNoMemoryForRanksElsewhere) {
  const Page page = Page::create(100'000).value();
  const RankSide first = attached(page, 0);
  const RankSide last = attached(page, 99'999);
  EXPECT_EQ(page.ranks(), (std::vector<int>{0, 99'999}));
  struct stat status {};
  ASSERT_EQ(fstat(page.fd(), &status), 0);
  EXPECT_GT(status.st_size, 6'400'000);
  EXPECT_LE(status.st_blocks * 512, 8 * sysconf(_SC_PAGESIZE));
}

TEST_F(PageOfEight, ListsAttachedRanks) {
  EXPECT_TRUE(page.ranks().empty());
  RankSide five = attached(page, 5);
  {
    const RankSide two = attached(page, 2);
    EXPECT_EQ(page.ranks(), (std::vector<int>{2, 5}));
    EXPECT_EQ(page.record(2).pid, getpid());
  }
  EXPECT_EQ(page.ranks(), std::vector<int>{5});
  const RankSide back = attached(page, 2);
  EXPECT_EQ(page.ranks(), (std::vector<int>{2, 5}));
  five.detach();
  EXPECT_EQ(page.ranks(), std::vector<int>{2});
}

TEST_F(PageOfEight, HasNoSlotForOtherRanks) {
  EXPECT_EQ(RankSide::attach(Page::open(getpid(), page.fd()).value(), 8).error(), CPPC_ERR_ARGUMENT);
  EXPECT_EQ(RankSide::attach(Page::open(getpid(), page.fd()).value(), -1).error(), CPPC_ERR_ARGUMENT);
}

TEST_F(PageOfEight, ForgetsWhatAnEarlierProcessSaid) {
  {
    RankSide earlier = attached(page, 3);
    page.begin_survey();
    earlier.announce(1000);
    start({3});
    EXPECT_EQ(earlier.reached(7, 1), Decision::go_on);
    ASSERT_EQ(page.record(3).joined, agent.epoch());
  }
  const RankSide later = attached(page, 3);
  EXPECT_EQ(page.record(3).joined, 0U);
  EXPECT_EQ(page.record(3).bytes, 0U);
  EXPECT_TRUE(later.survey_wanted());
}

TEST_F(PageOfEight, SurveysRing) {
  RankSide rank = attached(page, 3);
  EXPECT_EQ(*page.doorbell(), 0U);
  EXPECT_FALSE(rank.survey_wanted());

  const auto first = page.begin_survey();
  EXPECT_NE(*page.doorbell(), 0U);
  EXPECT_TRUE(rank.survey_wanted());
  EXPECT_LT(page.record(3).announced, first);
  rank.announce(123'456);
  EXPECT_FALSE(rank.survey_wanted());
  EXPECT_EQ(page.record(3).announced, first);
  EXPECT_EQ(page.record(3).bytes, 123'456U);
  EXPECT_EQ(rank.reached(4, 1), Decision::go_on);  // nothing to negotiate
  page.end_survey();
  EXPECT_EQ(*page.doorbell(), 0U);

  EXPECT_GT(page.begin_survey(), first);
  EXPECT_TRUE(rank.survey_wanted());
}

TEST_F(PageOfEight, SurveyAndNegotiationShareTheBell) {
  RankSide rank = attached(page, 3);
  start({3});
  page.begin_survey();
  page.end_survey();
  EXPECT_NE(*page.doorbell(), 0U);
}

TEST_F(PageOfEight, ARankJoinsOnceAndRaisesEachTime) {
  RankSide rank = attached(page, 3);
  RankSide other = attached(page, 4);
  start({3, 4});
  EXPECT_EQ(rank.reached(10, 77), Decision::go_on);
  EXPECT_EQ(page.word().maximum(), 11U);
  EXPECT_EQ(page.record(3).joined, agent.epoch());
  EXPECT_EQ(page.record(3).passed, 10U);
  EXPECT_EQ(page.record(3).site, 77U);
  EXPECT_EQ(rank.reached(11, 78), Decision::go_on);
  EXPECT_EQ(page.word().maximum(), 12U);
  EXPECT_EQ(page.record(3).site, 77U);
  EXPECT_EQ(other.reached(5, 70), Decision::go_on);
  EXPECT_EQ(page.word().maximum(), 12U);
}

TEST_F(PageOfEight, RanksStopAtTheDecisionAndSaySo) {
  RankSide rank = attached(page, 3);
  RankSide other = attached(page, 4);
  start({3, 4});
  EXPECT_EQ(rank.reached(10, 1), Decision::go_on);
  EXPECT_EQ(other.reached(8, 1), Decision::go_on);
  while (*agent.poll() != AgentSide::State::decided) {
  }
  ASSERT_EQ(agent.migration_point(), 11U);
  EXPECT_EQ(rank.reached(11, 2), Decision::stop);
  EXPECT_EQ(agent.on_the_way(), std::vector<int>{4});
  EXPECT_EQ(other.reached(9, 1), Decision::go_on);
  EXPECT_EQ(other.reached(10, 1), Decision::go_on);
  EXPECT_EQ(other.reached(11, 3), Decision::stop);
  EXPECT_TRUE(agent.on_the_way().empty());
  EXPECT_EQ(page.record(3).site, 2U);
  EXPECT_EQ(page.record(4).site, 3U);
  EXPECT_EQ(page.record(4).passed, 11U);
  ASSERT_TRUE(agent.conclude());
  EXPECT_EQ(*page.doorbell(), 0U);
  EXPECT_EQ(rank.reached(12, 1), Decision::go_on);
}

TEST_F(PageOfEight, ARankThatWasNotCountedOnRefusesOnce) {
  RankSide counted = attached(page, 3);
  RankSide stranger = attached(page, 4);
  start({3});
  EXPECT_EQ(counted.reached(10, 1), Decision::go_on);
  while (*agent.poll() != AgentSide::State::decided) {
  }
  EXPECT_EQ(stranger.reached(10, 1), Decision::refused);
  EXPECT_EQ(page.record(4).refused, agent.epoch());
  EXPECT_EQ(page.record(4).refusal, CPPC_ERR_STATE);
  EXPECT_EQ(stranger.reached(11, 1), Decision::go_on);
}

TEST_F(PageOfEight, CountsThatDoNotFitAreRefused) {
  RankSide rank = attached(page, 3);
  start({3});
  EXPECT_EQ(rank.reached(Word::value_limit, 1), Decision::refused);
  EXPECT_EQ(page.record(3).refusal, CPPC_ERR_STATE);
  while (*agent.poll() != AgentSide::State::cancelled) {
  }
  EXPECT_EQ(agent.reason(), (Reason{CPPC_ERR_STATE, 3}));
}

TEST_F(PageOfEight, FinishingIsKept) {
  {
    RankSide rank = attached(page, 3);
    rank.finishing();
    EXPECT_TRUE(page.record(3).finishing);
    EXPECT_FALSE(page.record(3).finished);
    rank.finished();
  }
  EXPECT_TRUE(page.record(3).finished);
  EXPECT_EQ(page.ranks(), std::vector<int>{3});
}

/// The root tells its child to fix its page, and never decides.
bool fix(test::SharedTree& memory) {
  return test::LocalTree(memory, 0, 2).send(1, {Word(Phase::fixed, 1, 0).bits()}).has_value();
}

/// A process that makes a page, lets rank 0 come to its bound, and is killed.
struct MortalAgent {
  MortalAgent() {
    int to_parent[2];
    EXPECT_EQ(pipe(to_parent), 0);
    pid = fork();
    if (pid == 0) {
      serve(to_parent[1]);
      _exit(1);
    }
    close(to_parent[1]);
    hear = to_parent[0];
    int fd = -1;
    EXPECT_EQ(read(hear, &fd, sizeof fd), static_cast<ssize_t>(sizeof fd));
    page_fd = fd;
  }
  ~MortalAgent() {
    die();
    close(hear);
  }
  void die() {
    if (pid < 0) return;
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    pid = -1;
  }
  void await_report() const {
    char byte = 0;
    EXPECT_EQ(read(hear, &byte, 1), 1);
  }

  static void serve(int tell) {
    Page page = Page::create(1).value();
    test::SharedTree memory{};
    test::LocalTree tree(memory, 1, 2);
    AgentSide agent(page, tree);
    if (!agent.start(1, 1h, {0}) || !fix(memory)) _exit(1);
    const int fd = page.fd();
    if (write(tell, &fd, sizeof fd) != sizeof fd) _exit(1);
    while (page.record(0).joined != 1) std::this_thread::sleep_for(1ms);
    if (!agent.poll() || page.word().phase() != Phase::fixed) _exit(1);
    if (write(tell, "r", 1) != 1) _exit(1);
    for (;;) pause();
  }

  pid_t pid = -1;
  int hear = -1;
  int page_fd = -1;
};

TEST(RankSide, DoesNotWaitForADeadAgent) {
  MortalAgent agent;
  auto rank = RankSide::attach(Page::open(agent.pid, agent.page_fd).value(), 0).value();
  EXPECT_EQ(rank.reached(10, 1), Decision::go_on);
  agent.await_report();
  ASSERT_EQ(rank.page().word(), Word(Phase::fixed, 1, 11));
  agent.die();
  EXPECT_EQ(rank.reached(11, 1), Decision::refused);
  EXPECT_EQ(rank.page().record(0).refusal, CPPC_ERR_PEER);
  EXPECT_EQ(rank.reached(12, 1), Decision::go_on);
}

TEST(RankSide, DoesNotWaitForAnAgentThatIsStuck) {
  Page page = Page::create(1).value();
  test::SharedTree memory{};
  test::LocalTree tree(memory, 1, 2);
  AgentSide agent(page, tree);
  RankSide rank = attached(page, 0);
  ASSERT_TRUE(agent.start(1, 1h, {0}));
  EXPECT_EQ(rank.reached(10, 1), Decision::go_on);
  ASSERT_TRUE(fix(memory));
  EXPECT_EQ(agent.poll().value(), AgentSide::State::reported);
  // Time passes, for the rank.
  void* memory_of_page = mmap(nullptr, sizeof(detail::PageLayout), PROT_READ | PROT_WRITE, MAP_SHARED, page.fd(), 0);
  ASSERT_NE(memory_of_page, MAP_FAILED);
  static_cast<detail::PageLayout*>(memory_of_page)->answer_within.store(0);
  munmap(memory_of_page, sizeof(detail::PageLayout));
  EXPECT_EQ(rank.reached(11, 1), Decision::refused);
  EXPECT_EQ(page.record(0).refusal, CPPC_ERR_TIMEOUT);
}

TEST(RankSide, CannotAttachToAPageWhoseAgentIsGone) {
  auto agent = std::make_unique<MortalAgent>();
  auto page = Page::open(agent->pid, agent->page_fd).value();
  agent.reset();
  EXPECT_EQ(RankSide::attach(std::move(page), 0).error(), CPPC_ERR_SYSTEM);
}

}  // namespace
