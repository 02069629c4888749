/// Programs for the model of the agreement on a cut: what each rank does, as a list of operations. They are made from
/// one order of everything that happens, so that, left alone, none hangs, however slow anybody is.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace cppc::negotiation::test {

struct CutOp {
  enum class Kind : std::uint8_t {
    compute,
    collective,  ///< waits until all members have begun it
    early,       ///< likewise collective, but this member need not wait for others
    begin,       ///< non-blocking
    wait,        ///< for the non-blocking one
    send,
    ssend,  ///< waits for its receive
    receive,
    create,   ///< collective on `comm`, makes `child`
    destroy,  ///< collective on `comm`, the last one
    lock,     ///< of the only lock; cannot be left
    unlock,
    finish,  ///< MPI_Finalize: collective over all
  };
  Kind kind = Kind::compute;
  int comm = 0;
  int instance = 0;  ///< which operation of the communicator, from 0
  int peer = 0;      ///< of messages
  int peer_at = 0;   ///< the other side's place in its list
  bool any_source = false;
  int child = 0;
};

struct CutProgram {
  int ranks = 0;
  std::vector<std::vector<int>> comms;    ///< members, rising; 0 is the world
  int existing = 1;                       ///< so many of them are there from the start
  std::vector<std::vector<CutOp>> lists;  ///< of each rank

  /// `others`: communicators beside the world that are there from the start.
  explicit CutProgram(int ranks, std::vector<std::vector<int>> others = {});

  // Appends to the order of all that happens.
  void compute(int rank);
  void collective(int comm, const std::vector<int>& early = {});
  void begin(int comm, int member);  ///< one member of the comm's next non-blocking operation; next() when all have
  void wait(int comm, int instance, int member);
  void message(int from, int to, bool synchronous = false, bool any_source = false);
  int create(int parent, std::vector<int> members);
  void destroy(int comm);
  void locked(int rank);  ///< lock, compute, unlock
  void finish();

  /// Operations of the communicator so far; begin() does not count before next().
  [[nodiscard]] int count(int comm) const { return counts_[static_cast<std::size_t>(comm)]; }
  void next(int comm) { ++counts_[static_cast<std::size_t>(comm)]; }

 private:
  void add(int rank, const CutOp& op) { lists[static_cast<std::size_t>(rank)].push_back(op); }
  std::vector<int> counts_;
};

/// `length` random operations, and the end.
CutProgram random_program(std::mt19937& random, int ranks, int length);

}  // namespace cppc::negotiation::test
