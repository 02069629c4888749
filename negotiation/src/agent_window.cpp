#include "cppc/agent_window.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace cppc::negotiation {
namespace {

constexpr int leader = 0;
constexpr MPI_Aint word_place = 0;
constexpr MPI_Aint marks_place = 1;  // then one for each agent

tl::expected<void, cppc_status> check(int code, std::string_view doing) {
  if (code == MPI_SUCCESS) return {};
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  PMPI_Error_string(code, text.data(), &length);
  spdlog::error("{} failed on the agents' window: {}", doing, std::string_view(text.data(), length));
  return tl::unexpected(CPPC_ERR_MPI);
}

}  // namespace

tl::expected<AgentWindow, cppc_status> AgentWindow::create(MPI_Comm agents) {
  int self = 0;
  int size = 0;
  PMPI_Comm_rank(agents, &self);
  PMPI_Comm_size(agents, &size);
  AgentWindow window(agents, self, size);
  const std::size_t words = self == leader ? marks_place + size : 0;
  std::uint64_t* memory = nullptr;
  const auto allocated = check(PMPI_Win_allocate(static_cast<MPI_Aint>(words * sizeof *memory), sizeof *memory,
                                                 MPI_INFO_NULL, agents, &memory, &window.window_),
                               "MPI_Win_allocate (under Open MPI 4.1, run with --mca osc ^rdma,ucx)");
  if (!allocated) {
    window.window_ = MPI_WIN_NULL;
    return tl::unexpected(allocated.error());
  }
  PMPI_Win_set_errhandler(window.window_, MPI_ERRORS_RETURN);
  if (self == leader) {
    PMPI_Win_lock(MPI_LOCK_EXCLUSIVE, leader, 0, window.window_);
    std::fill_n(memory, words, 0);
    PMPI_Win_unlock(leader, window.window_);
  }
  auto ready = check(PMPI_Barrier(agents), "MPI_Barrier");
  if (ready) ready = check(PMPI_Win_lock_all(0, window.window_), "MPI_Win_lock_all");
  if (!ready) return tl::unexpected(ready.error());
  return window;
}

AgentWindow::AgentWindow(AgentWindow&& other) noexcept
    : agents_(other.agents_),
      window_(std::exchange(other.window_, MPI_WIN_NULL)),
      self_(other.self_),
      size_(other.size_) {}

AgentWindow::~AgentWindow() {
  // Freeing is collective: it cannot be made up for here.
  if (window_ != MPI_WIN_NULL) spdlog::error("agent {}: its window on the agents' board was never closed", self_);
}

tl::expected<void, cppc_status> AgentWindow::close() {
  const MPI_Win window = std::exchange(window_, MPI_WIN_NULL);
  if (window == MPI_WIN_NULL) return tl::unexpected(CPPC_ERR_STATE);
  const auto unlocked = check(PMPI_Win_unlock_all(window), "MPI_Win_unlock_all");
  MPI_Win freed = window;
  const auto done = check(PMPI_Win_free(&freed), "MPI_Win_free");
  return unlocked ? done : unlocked;
}

tl::expected<Word, cppc_status> AgentWindow::read() {
  std::uint64_t seen = 0;
  auto done = check(PMPI_Fetch_and_op(nullptr, &seen, MPI_UINT64_T, leader, word_place, MPI_NO_OP, window_),
                    "MPI_Fetch_and_op");
  if (done) done = check(PMPI_Win_flush(leader, window_), "MPI_Win_flush");
  if (!done) return tl::unexpected(done.error());
  return Word(seen);
}

tl::expected<Word, cppc_status> AgentWindow::compare_and_swap(Word expected, Word desired) {
  const std::uint64_t from = expected.bits();
  const std::uint64_t to = desired.bits();
  std::uint64_t seen = 0;
  auto done = check(PMPI_Compare_and_swap(&to, &from, &seen, MPI_UINT64_T, leader, word_place, window_),
                    "MPI_Compare_and_swap");
  if (done) done = check(PMPI_Win_flush(leader, window_), "MPI_Win_flush");
  if (!done) return tl::unexpected(done.error());
  return Word(seen);
}

tl::expected<void, cppc_status> AgentWindow::mark(std::uint64_t value) {
  const auto done =
      check(PMPI_Accumulate(&value, 1, MPI_UINT64_T, leader, marks_place + self_, 1, MPI_UINT64_T, MPI_MAX, window_),
            "MPI_Accumulate");
  return done ? check(PMPI_Win_flush(leader, window_), "MPI_Win_flush") : done;
}

tl::expected<std::uint64_t, cppc_status> AgentWindow::lowest_mark() {
  // Operations on one's own memory need not make MPI look for messages; others wait for exactly that.
  int arrived = 0;
  auto done = check(PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, agents_, &arrived, MPI_STATUS_IGNORE), "MPI_Iprobe");
  std::vector<std::uint64_t> marks(static_cast<std::size_t>(size_));
  if (done) {
    done = check(PMPI_Get_accumulate(nullptr, 0, MPI_UINT64_T, marks.data(), size_, MPI_UINT64_T, leader, marks_place,
                                     size_, MPI_UINT64_T, MPI_NO_OP, window_),
                 "MPI_Get_accumulate");
  }
  if (done) done = check(PMPI_Win_flush(leader, window_), "MPI_Win_flush");
  if (!done) return tl::unexpected(done.error());
  return *std::min_element(marks.begin(), marks.end());
}

}  // namespace cppc::negotiation
