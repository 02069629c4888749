#include "address/runs.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "address/heap_memory.hpp"

namespace cppc::address::heap {

namespace {

/// Free memory that is kept for reuse whatever else there is.
constexpr std::uint32_t kKept = 1024;  // units: 64 MiB
/// How many runs of about the right length are looked at before a longer one is cut.
constexpr int kTries = 16;

/// From kExactBins on four for each doubling.
unsigned bin_of(std::uint32_t length) {
  if (length < kExactBins) return length;
  const auto doubling = static_cast<unsigned>(std::bit_width(length)) - 1;
  return kExactBins + (doubling - 6) * 4 + (length >> (doubling - 2) & 3);
}

void link(std::uint32_t run, std::uint32_t length, bool zero, std::uint32_t dirty) {
  Unit& first = unit(run);
  const unsigned bin = bin_of(length);
  std::uint32_t& head = tables().bins[bin];
  first.length = length;
  first.zero = zero;
  first.previous = 0;
  first.next = head;
  if (head != 0) unit(head).previous = run;
  head = run;
  tables().bins_used[bin / 64] |= std::uint64_t{1} << bin % 64;
  unit(run + length - 1).length = length;
  first.run.dirty = dirty;
  tables().dirty += dirty;
}

void unlink(std::uint32_t run) {
  const Unit& first = unit(run);
  const unsigned bin = bin_of(first.length);
  std::uint32_t& head = tables().bins[bin];
  (first.previous != 0 ? unit(first.previous).next : head) = first.next;
  if (first.next != 0) unit(first.next).previous = first.previous;
  if (head == 0) tables().bins_used[bin / 64] &= ~(std::uint64_t{1} << bin % 64);
  tables().dirty -= first.run.dirty;
}

/// The first bin from this one on that is not empty; kBins: none.
unsigned next_bin(unsigned bin) {
  while (bin < kBins) {
    const std::uint64_t bits = tables().bins_used[bin / 64] >> bin % 64;
    if (bits != 0) return bin + static_cast<unsigned>(std::countr_zero(bits));
    bin = (bin / 64 + 1) * 64;
  }
  return kBins;
}

/// A free run of at least this length, 0 if there is none.
std::uint32_t find_free(std::uint32_t length) {
  unsigned bin = bin_of(length);
  std::uint32_t run = tables().bins[bin];
  for (int tries = 0; run != 0 && tries < kTries; ++tries, run = unit(run).next) {
    if (unit(run).length >= length) return run;
  }
  bin = next_bin(bin + 1);
  return bin < kBins ? tables().bins[bin] : 0;
}

/// Takes the first `length` units out of a free run; the others stay free. Those that were in use last are taken to be
/// the first ones, as they have come from there.
void cut(std::uint32_t run, std::uint32_t length) {
  unlink(run);
  const Unit& first = unit(run);
  const std::uint32_t dirty = first.run.dirty - std::min(first.run.dirty, length);
  if (first.length > length) link(run + length, first.length - length, first.zero, dirty);
}

/// Units that were never in use, behind all others.
std::uint32_t take_at_top(std::uint32_t length) {
  Tables& known = tables();
  if (length > kUnits - known.top || !map_units(known.top + length)) return 0;
  const std::uint32_t run = known.top;
  known.top += length;
  unit(run).length = length;
  unit(run).zero = true;
  return run;
}

/// Gives at least so many dirty units back to the system, of the longest runs; less when there are no more.
void clean(std::uint32_t units) {
  for (unsigned bin = kBins; bin-- > 1 && units > 0;) {
    for (std::uint32_t run = tables().bins[bin]; run != 0 && units > 0; run = unit(run).next) {
      Unit& first = unit(run);
      if (first.run.dirty == 0) continue;
      if (!give_back(run, first.length)) return;
      tables().dirty -= first.run.dirty;
      units -= std::min(units, first.run.dirty);
      first.run.dirty = 0;
      first.zero = true;
    }
  }
}

/// Whoever frees large blocks and asks for them again in each step gets the same pages; memory that has not been needed
/// while four times all units in use were given out goes back, and at once what is more than everything that is in use.
void give_back_idle() {
  Tables& known = tables();
  const std::uint32_t used = known.slabs + known.large_units;
  const std::uint32_t most = std::max(4 * kKept, used);
  if (known.dirty > most) clean(known.dirty - most);
  if (known.taken < 4 * (std::uint64_t{used} + kKept)) return;
  if (known.idle > kKept) clean(known.idle - kKept);
  known.taken = 0;
  known.idle = known.dirty;
}

}  // namespace

std::uint32_t take_run(std::uint32_t length) {
  Tables& known = tables();
  known.taken += length;
  const std::uint32_t run = find_free(length);
  if (run == 0) return take_at_top(length);
  cut(run, length);
  unit(run).length = length;
  known.idle = std::min(known.idle, known.dirty);
  return run;
}

void shorten_run(std::uint32_t run, std::uint32_t length) {
  Unit& first = unit(run);
  if (first.length == length) return;
  const std::uint32_t rest = run + length;
  unit(rest).length = first.length - length;
  unit(rest).zero = first.zero;
  first.length = length;
  give_run(rest);
}

bool lengthen_run(std::uint32_t run, std::uint32_t length) {
  Unit& first = unit(run);
  const std::uint32_t missing = length - first.length;
  const std::uint32_t next = run + first.length;
  if (next == tables().top) {
    if (take_at_top(missing) == 0) return false;
  } else {
    if (kind(next) != kFree || unit(next).length < missing) return false;
    cut(next, missing);
  }
  tables().taken += missing;
  tables().idle = std::min(tables().idle, tables().dirty);
  first.length = length;
  return true;
}

void give_run(std::uint32_t run) {
  std::uint32_t length = unit(run).length;
  bool zero = unit(run).zero;
  std::uint32_t dirty = zero ? 0 : length;
  std::memset(&kind(run), kFree, length);
  const auto join = [&](std::uint32_t other) {
    unlink(other);
    length += unit(other).length;
    zero = zero && unit(other).zero;
    dirty += unit(other).run.dirty;
  };
  if (const std::uint32_t next = run + length; next < tables().top && kind(next) == kFree) join(next);
  if (kind(run - 1) == kFree) {
    run -= unit(run - 1).length;
    join(run);
  }
  link(run, length, zero, dirty);
  give_back_idle();
}

}  // namespace cppc::address::heap
