/// Holds ranks in MPI_Finalize until all have come there, so that a rank that has no more to do can be stopped and
/// moved as long as others work. Each notifies its parent in a binary tree of ranks when all below it have come; the
/// root releases them, down the tree. Its messages are to be drained like the application's. Used by the thread that
/// calls MPI.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>

namespace cppc::migration {

class FinalizeBarrier {
 public:
  /// Forgets who has come. `all` has the application's `ranks` ranks first, and no message of the barrier under way.
  void restart(MPI_Comm all, int rank, int ranks);

  /// This rank is in MPI_Finalize. A step, which does not wait: true once all are, and those below it are to be
  /// released. True also when MPI fails, which is logged: then nobody is waited for.
  bool passed();

  /// After passed(): releases the others.
  void open();

  /// For the drain, at any time: takes what has arrived. True when nothing that this rank has sent is under way.
  bool drain();

  [[nodiscard]] std::int64_t sent() const { return sent_; }
  [[nodiscard]] std::int64_t received() const { return received_; }
  [[nodiscard]] bool sends() const { return sends_now_; }  ///< when last looked at

 private:
  enum class Message { arrived, open };

  [[nodiscard]] int parent() const { return rank_ == 0 ? MPI_PROC_NULL : (rank_ - 1) / 2; }
  [[nodiscard]] int child(std::size_t which) const;
  [[nodiscard]] bool all_below() const;
  [[nodiscard]] bool receive(int from, Message message);
  void send(int to, Message message);

  MPI_Comm all_ = MPI_COMM_NULL;
  int rank_ = 0;
  int ranks_ = 0;
  std::array<bool, 2> below_{};  ///< children, with all below them, that have come
  bool notified_ = false;        ///< the parent
  bool open_ = false;
  bool failed_ = false;
  std::array<MPI_Request, 3> sends_{MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  std::size_t started_ = 0;
  bool sends_now_ = false;
  std::int64_t sent_ = 0;
  std::int64_t received_ = 0;
};

}  // namespace cppc::migration
