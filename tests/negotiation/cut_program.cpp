#include "cut_program.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace cppc::negotiation::test {
namespace {

using Kind = CutOp::Kind;

std::vector<int> all_of(int ranks) {
  std::vector<int> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

CutProgram::CutProgram(int number, std::vector<std::vector<int>> others)
    : ranks(number), comms{all_of(number)}, lists(static_cast<std::size_t>(number)) {
  std::ranges::move(others, std::back_inserter(comms));
  existing = static_cast<int>(comms.size());
  counts_.resize(comms.size());
}

void CutProgram::compute(int rank) { add(rank, {}); }

void CutProgram::collective(int comm, const std::vector<int>& early) {
  for (const int member : comms[static_cast<std::size_t>(comm)]) {
    const bool leaves = std::ranges::find(early, member) != early.end();
    add(member, {.kind = leaves ? Kind::early : Kind::collective, .comm = comm, .instance = count(comm)});
  }
  next(comm);
}

void CutProgram::begin(int comm, int member) {
  add(member, {.kind = Kind::begin, .comm = comm, .instance = count(comm)});
}

void CutProgram::wait(int comm, int instance, int member) {
  add(member, {.kind = Kind::wait, .comm = comm, .instance = instance});
}

void CutProgram::message(int from, int to, bool synchronous, bool any_source) {
  const auto place = [&](int rank) { return static_cast<int>(lists[static_cast<std::size_t>(rank)].size()); };
  const int sent_at = place(from);
  const int received_at = place(to);
  add(from, {.kind = synchronous ? Kind::ssend : Kind::send, .peer = to, .peer_at = received_at});
  add(to, {.kind = Kind::receive, .peer = from, .peer_at = sent_at, .any_source = any_source});
}

int CutProgram::create(int parent, std::vector<int> members) {
  const int child = static_cast<int>(comms.size());
  for (const int member : comms[static_cast<std::size_t>(parent)]) {
    const bool in = std::ranges::find(members, member) != members.end();
    add(member, {.kind = Kind::create, .comm = parent, .instance = count(parent), .child = in ? child : -1});
  }
  next(parent);
  comms.push_back(std::move(members));
  counts_.push_back(0);
  return child;
}

void CutProgram::destroy(int comm) {
  for (const int member : comms[static_cast<std::size_t>(comm)])
    add(member, {.kind = Kind::destroy, .comm = comm, .instance = count(comm)});
  next(comm);
}

void CutProgram::locked(int rank) {
  add(rank, {.kind = Kind::lock});
  add(rank, {});
  add(rank, {.kind = Kind::unlock});
}

void CutProgram::finish() {
  for (int rank = 0; rank < ranks; ++rank) add(rank, {.kind = Kind::finish, .instance = count(0)});
}

namespace {

/// A non-blocking operation on its way.
struct Pending {
  int comm;
  int instance;
  std::vector<int> to_wait;
};

class Generator {
 public:
  Generator(std::mt19937& random, int ranks) : random_(&random), program_(ranks), live_{0} {}

  CutProgram make(int length) {
    for (int i = 0; i < length; ++i) step();
    while (!pending_.empty()) complete(pending_.size() - 1);
    program_.finish();
    return std::move(program_);
  }

 private:
  int below(std::size_t limit) { return static_cast<int>((*random_)() % limit); }
  int rank() { return below(static_cast<std::size_t>(program_.ranks)); }
  int live() { return live_[static_cast<std::size_t>(below(live_.size()))]; }
  const std::vector<int>& members(int comm) { return program_.comms[static_cast<std::size_t>(comm)]; }

  std::vector<int> some(const std::vector<int>& of, std::size_t least) {
    std::vector<int> shuffled = of;
    std::ranges::shuffle(shuffled, *random_);
    shuffled.resize(least + static_cast<std::size_t>(below(of.size() - least + 1)));
    std::ranges::sort(shuffled);
    return shuffled;
  }

  void step() {
    const int kind = below(100);
    if (kind < 25) return program_.compute(rank());
    if (kind < 55) return send();
    if (kind < 75) return collective();
    if (kind < 85) return begin();
    if (kind < 92 && !pending_.empty()) return complete(static_cast<std::size_t>(below(pending_.size())));
    if (kind < 95) return create();
    if (kind < 98) return destroy();
    program_.locked(rank());
  }

  void send() {
    const int from = rank();
    const int to = rank();
    if (from != to) program_.message(from, to, below(2) == 0, below(4) == 0);
  }

  void collective() {
    const int comm = live();
    program_.collective(comm, below(2) == 0 ? some(members(comm), 0) : std::vector<int>());
  }

  void begin() {
    const int comm = live();
    for (const int member : members(comm)) program_.begin(comm, member);
    pending_.push_back({comm, program_.count(comm), some(members(comm), 0)});
    program_.next(comm);
  }

  void complete(std::size_t which) {
    for (const int member : pending_[which].to_wait)
      program_.wait(pending_[which].comm, pending_[which].instance, member);
    pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(which));
  }

  void create() {
    const int parent = live();
    live_.push_back(program_.create(parent, some(members(parent), 2)));
  }

  void destroy() {
    if (live_.size() < 3) return;
    const auto which = 1 + static_cast<std::size_t>(below(live_.size() - 1));
    const int comm = live_[which];
    for (std::size_t i = pending_.size(); i-- > 0;) {
      if (pending_[i].comm == comm) complete(i);
    }
    program_.destroy(comm);
    live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(which));
  }

  std::mt19937* random_;
  CutProgram program_;
  std::vector<int> live_;
  std::vector<Pending> pending_;
};

}  // namespace

CutProgram random_program(std::mt19937& random, int ranks, int length) { return Generator(random, ranks).make(length); }

}  // namespace cppc::negotiation::test
