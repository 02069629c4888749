#include "finalize_barrier.hpp"

#include "../job_comms.hpp"

namespace cppc::migration {
namespace {

constexpr int kTag = 0x4346;

}  // namespace

void FinalizeBarrier::restart(MPI_Comm all, int rank, int ranks) {
  *this = {};
  all_ = all;
  rank_ = rank;
  ranks_ = ranks;
}

int FinalizeBarrier::child(std::size_t which) const {
  const int number = 2 * rank_ + 1 + static_cast<int>(which);
  return number < ranks_ ? number : MPI_PROC_NULL;
}

bool FinalizeBarrier::all_below() const {
  for (std::size_t which = 0; which < below_.size(); ++which)
    if (child(which) != MPI_PROC_NULL && !below_[which]) return false;
  return true;
}

bool FinalizeBarrier::passed() {
  (void)drain();
  if (rank_ == 0 && all_below()) open_ = true;
  if (rank_ != 0 && all_below() && !notified_) {
    notified_ = true;
    send(parent(), Message::arrived);
  }
  return open_ || failed_;
}

void FinalizeBarrier::open() {
  for (std::size_t which = 0; which < below_.size(); ++which) send(child(which), Message::open);
  failed_ = !checked(PMPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

bool FinalizeBarrier::drain() {
  for (std::size_t which = 0; which < below_.size(); ++which)
    if (!below_[which]) below_[which] = receive(child(which), Message::arrived);
  if (!open_) open_ = receive(parent(), Message::open);
  int done = 1;
  failed_ =
      failed_ ||
      !checked(PMPI_Testall(static_cast<int>(sends_.size()), sends_.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
  sends_now_ = done == 0;
  return !sends_now_;
}

bool FinalizeBarrier::receive(int from, Message message) {
  if (from == MPI_PROC_NULL || failed_) return false;
  const int tag = kTag + static_cast<int>(message);
  int there = 0;
  failed_ = !checked(PMPI_Iprobe(from, tag, all_, &there, MPI_STATUS_IGNORE), "MPI_Iprobe");
  if (failed_ || there == 0) return false;
  failed_ = !checked(PMPI_Recv(nullptr, 0, MPI_BYTE, from, tag, all_, MPI_STATUS_IGNORE), "MPI_Recv");
  if (!failed_) ++received_;
  return !failed_;
}

void FinalizeBarrier::send(int to, Message message) {
  if (to == MPI_PROC_NULL || failed_) return;
  const int tag = kTag + static_cast<int>(message);
  failed_ = !checked(PMPI_Isend(nullptr, 0, MPI_BYTE, to, tag, all_, &sends_[started_++]), "MPI_Isend");
  if (failed_) return;
  ++sent_;
  sends_now_ = true;
}

}  // namespace cppc::migration
