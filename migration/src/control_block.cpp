#include "control_block.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <spdlog/spdlog.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <string>
#include <utility>

namespace cppc::migration {
namespace {

constexpr std::uint64_t kMagic = 0x43505043'4354524cULL;  // "CPPCCTRL"
constexpr std::uint32_t kVersion = 9;                     // of the layout: of Header and Slot

long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value, const timespec* timeout) {
  return syscall(SYS_futex, &word, operation, value, timeout, nullptr, 0);
}

}  // namespace

void SharedWord::set(std::uint32_t value) {
  word_.store(value, std::memory_order_release);
  futex(word_, FUTEX_WAKE, INT_MAX, nullptr);
}

bool SharedWord::wait_while(std::uint32_t value, Deadline deadline) const {
  while (get() == value) {
    const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    const timespec timeout{left / 1'000'000'000, left % 1'000'000'000};
    futex(word_, FUTEX_WAIT, value, &timeout);  // any way it returns, the loop looks again
  }
  return true;
}

/// What comes before `commands` is constant once others know of the control block.
struct ControlBlock::Header {
  std::uint64_t magic;
  std::uint32_t version;
  std::int32_t ranks;
  std::int32_t agents;
  alignas(64) SharedWord commands;      // how many have been given
  std::array<Shared<Action>, 64> last;  // of them, by their number
  Shared<std::int32_t> join_count;
  Shared<std::int32_t> gone_count;
};

namespace {

std::size_t joins_offset(std::size_t header) { return (header + 63) / 64 * 64; }

std::size_t slots_offset(std::size_t header, int agents) {
  return (joins_offset(header) + static_cast<std::size_t>(agents) * sizeof(int) + 63) / 64 * 64;
}

}  // namespace

void ControlBlock::Unmap::operator()(void* memory) const noexcept { munmap(memory, bytes); }

ControlBlock::Memory ControlBlock::map(const UniqueFd& file, std::size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  return {memory == MAP_FAILED ? nullptr : memory, Unmap{bytes}};
}

UniqueFd ControlBlock::reserve() {
  return UniqueFd(memfd_create("cppc-control-block", MFD_CLOEXEC | MFD_ALLOW_SEALING));
}

tl::expected<ControlBlock, cppc_status> ControlBlock::create(int ranks, int agents, UniqueFd file) {
  const std::size_t bytes = slots_offset(sizeof(Header), agents) + static_cast<std::size_t>(ranks) * sizeof(Slot);
  if (!file || ftruncate(file.get(), static_cast<off_t>(bytes)) != 0 ||
      fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    spdlog::error("cannot make {} bytes of shared memory for the ranks of this node: {}", bytes, std::strerror(errno));
    return tl::unexpected(CPPC_ERR_SYSTEM);
  }
  Memory memory = map(file, bytes);
  if (!memory) {
    spdlog::error("cannot map {} bytes of shared memory: {}", bytes, std::strerror(errno));
    return tl::unexpected(CPPC_ERR_SYSTEM);
  }
  ControlBlock control(std::move(file), std::move(memory));
  control.header().version = kVersion;
  control.header().ranks = ranks;
  control.header().agents = agents;
  control.header().magic = kMagic;
  return control;
}

tl::expected<ControlBlock, cppc_status> ControlBlock::open(pid_t agent, int descriptor) {
  const std::string path = "/proc/" + std::to_string(agent) + "/fd/" + std::to_string(descriptor);
  auto control = map_existing(UniqueFd(::open(path.c_str(), O_RDWR | O_CLOEXEC)), path);
  if (control) control->file_.reset();
  return control;
}

tl::expected<ControlBlock, cppc_status> ControlBlock::take_over(UniqueFd file) {
  auto control = map_existing(std::move(file), "that an agent has left");
  if (!control) return control;
  for (int rank = 0; rank < control->ranks(); ++rank) {
    Slot& slot = control->slot(rank);
    slot.saves = 0;
    if (slot.leaving == 0) continue;
    slot.dismissed.set(1);
    slot.leaving = 0;
  }
  control->command(Action::go_on);
  return control;
}

tl::expected<ControlBlock, cppc_status> ControlBlock::map_existing(UniqueFd file, const std::string& path) {
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0) {
    spdlog::error("cannot open the agent's shared memory {}: {}", path, std::strerror(errno));
    return tl::unexpected(CPPC_ERR_SYSTEM);
  }
  const auto bytes = static_cast<std::size_t>(status.st_size);
  if (S_ISREG(status.st_mode) && bytes >= sizeof(Header)) {
    Memory memory = map(file, bytes);
    if (!memory) {
      spdlog::error("cannot map the agent's shared memory {} of {} bytes: {}", path, bytes, std::strerror(errno));
      return tl::unexpected(CPPC_ERR_SYSTEM);
    }
    ControlBlock control(std::move(file), std::move(memory));
    const Header& header = control.header();
    if (header.magic == kMagic && header.version == kVersion && header.ranks >= 0 && header.agents >= 0 &&
        bytes == slots_offset(sizeof(Header), header.agents) + static_cast<std::size_t>(header.ranks) * sizeof(Slot))
      return control;
  }
  spdlog::error("{} is no control block of this version: agent and application must be of one CPPC Live", path);
  return tl::unexpected(CPPC_ERR_MISMATCH);
}

ControlBlock::Header& ControlBlock::header() const { return *static_cast<Header*>(memory_.get()); }

int ControlBlock::ranks() const { return header().ranks; }

Slot& ControlBlock::slot(int rank) const {
  auto* base = static_cast<std::byte*>(memory_.get()) + slots_offset(sizeof(Header), header().agents);
  return reinterpret_cast<Slot*>(base)[rank];
}

int* ControlBlock::agent_lists() const {
  return reinterpret_cast<int*>(static_cast<std::byte*>(memory_.get()) + joins_offset(sizeof(Header)));
}

void ControlBlock::command(Action action, std::span<const int> joins, std::span<const int> gone) {
  Header& to = header();
  std::copy(gone.begin(), gone.end(), std::copy(joins.begin(), joins.end(), agent_lists()));
  to.join_count = static_cast<std::int32_t>(joins.size());
  to.gone_count = static_cast<std::int32_t>(gone.size());
  const std::uint32_t number = to.commands.get() + 1;
  to.last[number % to.last.size()] = action;
  to.commands.set(number);
}

std::uint32_t ControlBlock::commands() const { return header().commands.get(); }

Action ControlBlock::action() const { return header().last[commands() % header().last.size()]; }

tl::expected<Action, cppc_status> ControlBlock::await_command(std::uint32_t& seen, Deadline deadline) const {
  if (!header().commands.wait_while(seen, deadline)) return tl::unexpected(CPPC_ERR_TIMEOUT);
  const std::uint32_t given = commands();
  if (given - seen > header().last.size() / 2) {  // slept through whole migrations
    seen = given;
    return Action::go_on;
  }
  ++seen;
  return header().last[seen % header().last.size()].load();
}

std::span<const int> ControlBlock::joins() const {
  return {agent_lists(), static_cast<std::size_t>(std::clamp(header().join_count.load(), 0, header().agents))};
}

std::span<const int> ControlBlock::gone() const {
  const int most = header().agents - static_cast<int>(joins().size());
  return {agent_lists() + joins().size(), static_cast<std::size_t>(std::clamp(header().gone_count.load(), 0, most))};
}

}  // namespace cppc::migration
