#include "cppc/page.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <spdlog/spdlog.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <new>
#include <string>

#include "cppc/cut.hpp"
#include "layout.hpp"

namespace cppc::negotiation {
namespace {

using detail::PageLayout;
using detail::Slot;

std::unique_ptr<PageLayout, detail::Unmap> map(int fd, std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) return {nullptr, detail::Unmap{}};
  return {static_cast<PageLayout*>(memory), detail::Unmap{bytes}};
}

tl::unexpected<cppc_status> system_error(const std::string& what) {
  spdlog::error("{}: {}", what, std::strerror(errno));
  return tl::unexpected(CPPC_ERR_SYSTEM);
}

/// `what`: which page it is, for messages.
tl::expected<std::unique_ptr<PageLayout, detail::Unmap>, cppc_status> map_existing(const UniqueFd& file,
                                                                                   const std::string& what) {
  struct stat status {};
  if (file.get() < 0 || fstat(file.get(), &status) != 0) return system_error("cannot open the agent's page " + what);
  const auto bytes = static_cast<std::size_t>(status.st_size);
  const auto refuse = [&] {
    spdlog::error("{} is no page of this version: agent and application must be of one CPPC Live", what);
    return tl::unexpected(CPPC_ERR_MISMATCH);
  };
  if (!S_ISREG(status.st_mode) || bytes < sizeof(PageLayout)) return refuse();
  auto layout = map(file.get(), bytes);
  if (!layout) return system_error("cannot map the agent's page " + what);
  if (layout->magic != PageLayout::expected_magic || layout->version != PageLayout::expected_version ||
      layout->app_ranks <= 0 || bytes != PageLayout::bytes(layout->app_ranks)) {
    return refuse();
  }
  return layout;
}

}  // namespace

void detail::Unmap::operator()(PageLayout* layout) const noexcept { munmap(layout, bytes); }

UniqueFd Page::reserve() { return UniqueFd(memfd_create("cppc-page", MFD_CLOEXEC | MFD_ALLOW_SEALING)); }

tl::expected<Page, cppc_status> Page::create(int app_ranks, UniqueFd fd) {
  if (app_ranks <= 0) return tl::unexpected(CPPC_ERR_ARGUMENT);
  const std::size_t bytes = PageLayout::bytes(app_ranks);
  // Sealed: nobody can cut off what others have mapped.
  if (fd.get() < 0 || ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0 ||
      fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return system_error("cannot make the page shared with the ranks of this node");
  }
  Layout layout = map(fd.get(), bytes);
  if (!layout) return system_error("cannot map the page shared with the ranks of this node");
  layout->version = PageLayout::expected_version;
  layout->app_ranks = app_ranks;
  layout->agent = getpid();
  layout->magic = PageLayout::expected_magic;
  return Page(std::move(layout), std::move(fd));
}

tl::expected<Page, cppc_status> Page::open(pid_t agent, int fd) {
  const std::string path = "/proc/" + std::to_string(agent) + "/fd/" + std::to_string(fd);
  auto layout = map_existing(UniqueFd(::open(path.c_str(), O_RDWR | O_CLOEXEC)), path);
  if (!layout) return tl::unexpected(layout.error());
  return Page(std::move(*layout), UniqueFd());
}

tl::expected<Page, cppc_status> Page::take_over(UniqueFd file) {
  auto mapped = map_existing(file, "that an agent has left");
  if (!mapped) return tl::unexpected(mapped.error());
  PageLayout& layout = **mapped;
  layout.agent.store(getpid());
  const std::uint64_t why = encode(Reason{CPPC_ERR_PEER, -1});
  layout.word.store(Word(Phase::cancelled, Word(layout.word.load()).epoch(), why).bits());
  layout.cut.store(cut::Word(cut::Phase::cancelled, cut::Word(layout.cut.load()).epoch(), why).bits());
  layout.doorbell.store(0);
  for (auto* changes : {&layout.changes, &layout.cut_changes}) {
    changes->fetch_add(1);
    syscall(SYS_futex, changes, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  }
  return Page(std::move(*mapped), std::move(file));
}

pid_t Page::agent() const { return layout_->agent.load(); }

int Page::app_ranks() const { return layout_->app_ranks; }

const volatile std::uint32_t* Page::doorbell() const {
  return reinterpret_cast<const volatile std::uint32_t*>(&layout_->doorbell);
}

Word Page::word() const { return Word(layout_->word.load()); }

std::vector<int> Page::ranks() const {
  std::vector<int> attached;
  const int listed = layout_->listed.load();
  for (int i = 0; i < listed; ++i) {
    const int rank = layout_->list(i).load() - 1;
    if (rank >= 0 && layout_->slot(rank).pid.load() != 0) attached.push_back(rank);
  }
  std::sort(attached.begin(), attached.end());
  return attached;
}

RankRecord Page::record(int rank) const {
  const Slot& slot = layout_->slot(rank);
  RankRecord record;
  // Epochs first: what they vouch for was written before them.
  record.pid = slot.pid.load();
  record.announced = slot.announced.load();
  record.bytes = slot.bytes.load();
  record.joined = slot.joined.load();
  record.stopped = slot.stopped.load();
  record.passed = slot.passed.load();
  record.site = slot.site.load();
  record.refused = slot.refused.load();
  record.refusal = static_cast<cppc_status>(slot.refusal.load());
  const std::uint32_t flags = slot.flags.load();
  record.finishing = (flags & Slot::finishing) != 0;
  record.finished = (flags & Slot::finished) != 0;
  return record;
}

std::uint64_t Page::begin_survey() {
  const std::uint64_t number = layout_->survey.fetch_add(1) + 1;
  layout_->doorbell.fetch_or(static_cast<std::uint32_t>(Doorbell::survey));
  return number;
}

void Page::end_survey() { layout_->doorbell.fetch_and(~static_cast<std::uint32_t>(Doorbell::survey)); }

}  // namespace cppc::negotiation
