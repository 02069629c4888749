/// The program's requests. Those in flight are bound to communicators that change when a rank moves, so under an
/// extension the program holds numbers of this table in their place. What persistent requests were made with, and at a
/// migration point receives that wait for their message, is kept in the tracked heap (call.hpp).
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bytes.hpp"
#include "cppc/status.h"
#include "mpi/call.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/datatypes.hpp"
#include "mpi/traffic.hpp"
#include "never_destroyed.hpp"

namespace cppc::mpi {

/// How a request ended that the program has still to ask for.
struct Outcome {
  MPI_Status status{};
  int error = MPI_SUCCESS;
  MPI_Comm comm = MPI_COMM_NULL;  ///< whose error handler is called, as the program knows it
};

struct Request {
  enum class State : std::uint8_t {
    none,    ///< not in use
    idle,    ///< persistent, not started
    active,  ///< MPI is at work on it
    parked,  ///< a receive, taken back from MPI until its communicator is there again (drain.hpp)
    done,    ///< complete, but the program does not know yet: see outcome
  };

  MPI_Request real = MPI_REQUEST_NULL;
  State state = State::none;
  bool persistent = false;
  bool receive = false;            ///< with a call
  bool detached = false;           ///< the program has given it up by MPI_Request_free
  bool orphan = false;             ///< the program has freed its communicator: it works, and cannot be made again
  bool withdrawn = false;          ///< cancelled by the program: it gets no message
  bool asked_back = false;         ///< MPI has been asked to give it back (drain.hpp)
  MPI_Comm makes = MPI_COMM_NULL;  ///< the communicator that is there once it is complete
  std::uint64_t started = 0;       ///< rising in the order of starts
  Call* kept = nullptr;            ///< in the tracked heap: of persistent and of parked ones
  Call call;                       ///< of receives without `kept`
  Outcome outcome;

  [[nodiscard]] const Call& made_with() const { return kept != nullptr ? *kept : call; }

  /// Not in use any more. `call` and `outcome` mean nothing without the rest.
  void forget() {
    real = MPI_REQUEST_NULL;
    state = State::none;
    persistent = receive = detached = orphan = withdrawn = asked_back = false;
    makes = MPI_COMM_NULL;
    kept = nullptr;
  }
};

/// A request in an image.
struct RequestRecipe {
  std::size_t index = 0;
  Request::State state = Request::State::none;
  bool persistent = false;
  bool detached = false;
  std::uint64_t started = 0;
  std::uint64_t block = 0;  ///< of its call in the tracked heap, 0: none
  Outcome outcome;
};

class Requests {
 public:
  /// Open MPI's are addresses of objects, and so even.
  static bool is_virtual(MPI_Request request) { return (reinterpret_cast<std::uintptr_t>(request) & 1) != 0; }
  static std::size_t index_of(MPI_Request request) { return reinterpret_cast<std::uintptr_t>(request) >> 1; }
  static MPI_Request handle_of(std::size_t index) { return reinterpret_cast<MPI_Request>(index << 1 | 1); }

  /// Null when `request` is none of the table's, or no more.
  [[nodiscard]] Request* find(MPI_Request request) {
    const std::size_t index = index_of(request);
    const bool there = is_virtual(request) && index < slots_.size() && slots_[index].state != Request::State::none;
    return there ? &slots_[index] : nullptr;
  }

  /// The call that returned `status` started *request, no point-to-point one or a send: it becomes the table's.
  int started(int status, MPI_Request* request) {
    if (comms.managed() && status == MPI_SUCCESS && *request != MPI_REQUEST_NULL) *request = add_active(*request);
    return status;
  }

  /// The same of a receive.
  int started(int status, const Call& call, MPI_Request* request);

  /// A receive that was complete at once.
  MPI_Request add_done(const Outcome& outcome);

  /// Makes a persistent one; *out is a handle of the table.
  int create(const Call& call, MPI_Request* out);

  /// A persistent one has been started, by MPI (`active`) or without it (`done`): counts its message if by MPI.
  void start(Request& request, Request::State state);

  /// MPI has completed it: the program sees it no more, or sees it idle.
  void complete(MPI_Request* request);

  /// Hands over the outcome of a request that is done, likewise. What the program's error handler leaves to return.
  int take_outcome(MPI_Request* request, MPI_Status* status);

  /// For MPI_Request_free.
  int free(MPI_Request* request);

  /// For MPI_Cancel.
  int cancel(Request& request);

  /// The program has freed `comm`. A persistent request that is bound to it counts as active until it is freed.
  void orphan(MPI_Comm comm);

  /// Whether an active request makes `comm`.
  [[nodiscard]] bool makes(MPI_Comm comm) const;

  /// How many are done.
  [[nodiscard]] std::size_t number_done() const { return number_done_; }

  /// What becomes of a request at a migration point: an active one is parked or done, a parked one active again (with
  /// the request `real` of MPI unless it is persistent) or done.
  void park(Request& request);
  void post_again(Request& request, MPI_Request real);
  void finish(Request& request, const Outcome& outcome);

  /// In the order in which they were started.
  [[nodiscard]] std::vector<Request*> in(Request::State state);

  /// Forgets detached requests that are complete by now.
  void complete_detached();

  [[nodiscard]] std::vector<RequestRecipe> recipes();
  static cppc_status write(const std::vector<RequestRecipe>& recipes, ByteWriter& writer);
  static std::vector<RequestRecipe> read(ByteReader& reader);

  /// In a replacement, once the heap is restored: takes them over. CPPC_ERR_IMAGE, logged.
  cppc_status adopt(const std::vector<RequestRecipe>& recipes);

  /// Gives all real requests back to MPI, before their communicators are freed.
  void free_real();

  /// Makes the real ones of persistent requests anew. CPPC_ERR_MPI, logged.
  cppc_status make_real();

 private:
  std::size_t take_slot();
  std::size_t new_slot();
  MPI_Request add_active(MPI_Request real);
  void remove(Request& request);
  static void release_call(Request& request);

  std::vector<Request> slots_{1};  // handles begin at 1
  std::vector<std::uint32_t> free_;
  std::uint64_t starts_ = 0;
  std::size_t number_done_ = 0;
  std::size_t number_detached_ = 0;
};

// In each call of the program: so it is inline, as is what most calls do with it.

inline Requests& requests() {
  static NeverDestroyed<Requests> instance;
  return *instance;
}

inline std::size_t Requests::take_slot() {
  if (free_.empty()) [[unlikely]]
    return new_slot();
  const std::size_t index = free_.back();
  free_.pop_back();
  return index;
}

inline MPI_Request Requests::add_active(MPI_Request real) {
  const std::size_t index = take_slot();
  Request& request = slots_[index];
  request.real = real;
  request.state = Request::State::active;
  request.started = ++starts_;
  traffic.activated(1);
  return handle_of(index);
}

inline int Requests::started(int status, const Call& call, MPI_Request* request) {
  if (!comms.managed() || status != MPI_SUCCESS || *request == MPI_REQUEST_NULL) return status;
  *request = add_active(*request);
  Request& added = slots_[index_of(*request)];
  added.receive = true;
  added.call = call;
  datatypes().retain(call.datatype);
  return status;
}

inline void Requests::complete(MPI_Request* handle) {
  Request& request = *find(*handle);
  if (request.state != Request::State::active) return;
  traffic.completed(1);
  request.state = Request::State::idle;
  if (request.persistent) return;
  remove(request);
  *handle = MPI_REQUEST_NULL;
}

inline void Requests::remove(Request& request) {
  if (request.orphan && request.persistent) traffic.completed(1);
  if (request.receive || request.persistent) release_call(request);
  request.forget();
  free_.push_back(static_cast<std::uint32_t>(&request - slots_.data()));
}

}  // namespace cppc::mpi
