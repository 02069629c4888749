/// The functions that complete, cancel and free requests, or say how they are.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "mpi/blocking.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/requests.hpp"
#include "mpi/turns.hpp"

namespace cppc::mpi {

namespace {

using State = Request::State;

/// Empty when `count` is negative, as MPI_UNDEFINED is.
template <class T>
std::span<T> view(int count, T* items) {
  return {items, static_cast<std::size_t>(std::max(count, 0))};
}

/// A handle of a request that has been freed gives nullptr, an invalid request to MPI.
MPI_Request real_of(MPI_Request request) {
  if (!Requests::is_virtual(request)) return request;
  const Request* const found = requests().find(request);
  return found == nullptr ? nullptr : found->state == State::done ? MPI_REQUEST_NULL : found->real;
}

bool has_virtual(std::span<const MPI_Request> all) { return std::ranges::any_of(all, Requests::is_virtual); }

bool is_done(MPI_Request request) {
  const Request* const found = requests().find(request);
  return found != nullptr && found->state == State::done;
}

/// The real requests of an array, for one call of MPI. Those that it sets to MPI_REQUEST_NULL are complete.
class RealRequests {
 public:
  explicit RealRequests(std::span<MPI_Request> program) : program_(program) {
    if (program.size() > few_.size()) many_.resize(program.size());
    real_ = many_.empty() ? std::span(few_).first(program.size()) : std::span(many_);
    std::ranges::transform(program, real_.begin(), real_of);
  }
  RealRequests(const RealRequests&) = delete;
  RealRequests& operator=(const RealRequests&) = delete;
  ~RealRequests() {
    for (std::size_t i = 0; i < program_.size(); ++i) {
      Request* const found = requests().find(program_[i]);
      if (found == nullptr) {
        if (real_[i] != nullptr) program_[i] = real_[i];
      } else if (found->state != State::done) {
        found->real = real_[i];
        if (real_[i] == MPI_REQUEST_NULL) requests().complete(&program_[i]);
      }
    }
  }

  [[nodiscard]] MPI_Request* data() const { return real_.data(); }

 private:
  std::span<MPI_Request> program_;
  std::array<MPI_Request, 32> few_;
  std::vector<MPI_Request> many_;
  std::span<MPI_Request> real_;
};

/// A persistent request goes on existing when it is complete, so that it has to be told.
void deactivate(MPI_Request request) {
  const Request* const found = requests().find(request);
  if (found != nullptr && found->persistent) requests().complete(&request);
}

/// Likewise, those that are complete after a call that failed.
void deactivate_complete(std::span<const MPI_Request> all) {
  for (const MPI_Request request : all) {
    const Request* const found = requests().find(request);
    int complete = 0;
    if (found != nullptr && found->persistent && found->state == State::active)
      PMPI_Request_get_status(found->real, &complete, MPI_STATUS_IGNORE);
    if (complete) deactivate(request);
  }
}

/// `complete(requests)` is a call of MPI that completes some of `requests`: those that it sets to MPI_REQUEST_NULL, and
/// of the persistent ones those for which `deactivate_in(status, requests)` calls deactivate(), with the program's
/// array.
template <class Complete, class Deactivate>
int completing(int count, MPI_Request* program, Complete complete, Deactivate deactivate_in) {
  if (!comms.managed() || program == nullptr) return complete(program);
  const auto all = view(count, program);
  if (!has_virtual(all)) return complete(program);
  int status = MPI_SUCCESS;
  {
    const RealRequests real(all);
    status = complete(real.data());
  }
  deactivate_in(status, std::span<const MPI_Request>(all));
  return status;
}

/// For calls that complete all, if `*done`, or fail.
auto all_if(const int* done) {
  return [done](int status, std::span<const MPI_Request> all) {
    if (status != MPI_SUCCESS) return deactivate_complete(all);
    if (*done) std::ranges::for_each(all, deactivate);
  };
}

/// For calls that complete the one at `*index`, if `*done`.
auto one_if(const int* done, const int* index) {
  return [done, index](int status, std::span<const MPI_Request> all) {
    if (status != MPI_SUCCESS) return deactivate_complete(all);
    if (*done && *index != MPI_UNDEFINED) deactivate(all[static_cast<std::size_t>(*index)]);
  };
}

/// For calls that complete those at the first `*number` of `indices`.
auto these(const int* number, const int* indices) {
  return [number, indices](int status, std::span<const MPI_Request> all) {
    if (status != MPI_SUCCESS && status != MPI_ERR_IN_STATUS) return;
    for (const int index : view(*number, indices)) deactivate(all[static_cast<std::size_t>(index)]);
  };
}

constexpr int always = 1;

// ---------------------------------------------------------------------------- requests that are done (Request::State)

/// The positions of those that are done.
std::vector<int> done_in(int count, const MPI_Request* program) {
  std::vector<int> positions;
  if (requests().number_done() == 0 || program == nullptr) return positions;
  for (int i = 0; i < count; ++i) {
    if (is_done(program[i])) positions.push_back(i);
  }
  return positions;
}

/// Hands over the outcomes of those at `positions`; `statuses` has one for each of them, or is MPI_STATUSES_IGNORE.
/// `among`: what MPI said of the others.
int take_outcomes(const std::vector<int>& positions, MPI_Request* program, MPI_Status* statuses, bool by_position,
                  int among) {
  bool failed = among == MPI_ERR_IN_STATUS;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const auto at = static_cast<std::size_t>(positions[i]);
    MPI_Status* const status = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[by_position ? at : i];
    const int error = requests().take_outcome(&program[at], status);
    if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = error;
    failed = failed || error != MPI_SUCCESS;
  }
  return among != MPI_SUCCESS ? among : failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
}

/// For calls that return some of those that are complete.
int take_some(const std::vector<int>& positions, MPI_Request* program, int* number, int* indices,
              MPI_Status* statuses) {
  *number = static_cast<int>(positions.size());
  std::ranges::copy(positions, indices);
  return take_outcomes(positions, program, statuses, false, MPI_SUCCESS);
}

// ------------------------------------------------------------------------------------------- the most frequent case

/// The request of a receive or send that is under way, else nullptr.
const Request* plainly_active(const MPI_Request* request) {
  const Request* const found = request != nullptr ? requests().find(*request) : nullptr;
  return found != nullptr && found->state == State::active && !found->persistent ? found : nullptr;
}

int wait_for(MPI_Request real, MPI_Request* request, MPI_Status* status) {
  const int result = waiting<PMPI_Wait>(&real, status);
  requests().find(*request)->real = real;  // found anew: MPI may have called functions of the program that start some
  if (real == MPI_REQUEST_NULL) [[likely]]
    requests().complete(request);
  return result;
}

// ------------------------------------------------------- what completes without waiting, or in steps between two bells

/// Calls look(), which sets *found, once, or until it has found something or the doorbell rings.
template <class Look>
int look_for(bool lasting, const int* found, Look look) {
  for (;;) {
    const int status = look();
    if (status != MPI_SUCCESS || *found != 0 || !lasting || call_point.rings()) return status;
    turns.yield();
  }
}

int test_all(bool lasting, int count, MPI_Request* program, int* flag, MPI_Status* statuses) {
  const auto done = done_in(count, program);
  const int status = completing(
      count, program,
      [&](MPI_Request* real) {
        return look_for(lasting, flag, [&] { return waiting<PMPI_Testall>(count, real, flag, statuses); });
      },
      all_if(flag));
  return done.empty() || !*flag ? status : take_outcomes(done, program, statuses, true, status);
}

int test_some(bool lasting, int count, MPI_Request* program, int* number, int* indices, MPI_Status* statuses) {
  if (const auto done = done_in(count, program); !done.empty())
    return take_some(done, program, number, indices, statuses);
  return completing(
      count, program,
      [&](MPI_Request* real) {
        return look_for(lasting, number,
                        [&] { return waiting<PMPI_Testsome>(count, real, number, indices, statuses); });
      },
      these(number, indices));
}

int test_any(bool lasting, int count, MPI_Request* program, int* index, int* flag, MPI_Status* status) {
  if (const auto done = done_in(count, program); !done.empty()) {
    *index = done.front();
    *flag = 1;
    return requests().take_outcome(&program[*index], status);
  }
  return completing(
      count, program,
      [&](MPI_Request* real) {
        return look_for(lasting, flag, [&] { return waiting<PMPI_Testany>(count, real, index, flag, status); });
      },
      one_if(flag, index));
}

/// The receive that `request` is, else nullptr.
const Call* receive_of(const MPI_Request* request) {
  const Request* const found = request != nullptr ? requests().find(*request) : nullptr;
  return found != nullptr && found->receive && !found->orphan ? &found->made_with() : nullptr;
}

/// The program has looked for the end of `request`, or of several, maybe in vain.
int in_vain(int status, const int* found, const MPI_Request* request = nullptr) {
  if (status != MPI_SUCCESS || *found != 0 || !call_point.rings()) return status;
  if (const Call* const call = receive_of(request))
    call_point.wait_for(call->peer, call->comm);
  else
    call_point.wait_for_anybody();
  return status;
}

}  // namespace

int test(bool lasting, MPI_Request* request, int* done, MPI_Status* status) {
  if (requests().number_done() != 0 && request != nullptr && is_done(*request)) {
    *done = 1;
    return requests().take_outcome(request, status);
  }
  return completing(
      1, request,
      [&](MPI_Request* real) {
        return look_for(lasting, done, [&] { return waiting<PMPI_Test>(real, done, status); });
      },
      all_if(done));
}

int wait_in_steps(MPI_Request* request, MPI_Status* status) {
  const Call* const call = receive_of(request);
  const int peer = call != nullptr ? call->peer : MPI_ANY_SOURCE;
  const MPI_Comm comm = call != nullptr ? call->comm : MPI_COMM_NULL;
  return wait_breakably([&](int* done) { return test(true, request, done, status); }, peer, comm);
}

}  // namespace cppc::mpi

using namespace cppc::mpi;

extern "C" {

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const Entry entry;
  call_point.pass();
  if (call_point.watching()) return wait_in_steps(request, status);
  if (const Request* const found = plainly_active(request)) [[likely]]
    return wait_for(found->real, request, status);
  if (!done_in(1, request).empty()) return requests().take_outcome(request, status);
  return completing(
      1, request, [&](MPI_Request* real) { return waiting<PMPI_Wait>(real, status); }, all_if(&always));
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  const Entry entry;
  call_point.pass();
  return in_vain(test(false, request, flag, status), flag, request);
}

int MPI_Waitall(int count, MPI_Request program[], MPI_Status statuses[]) {
  const Entry entry;
  call_point.pass();
  if (call_point.watching())
    return wait_breakably([&](int* done) { return test_all(true, count, program, done, statuses); });
  const auto done = done_in(count, program);
  const int status = completing(
      count, program, [&](MPI_Request* real) { return waiting<PMPI_Waitall>(count, real, statuses); }, all_if(&always));
  return done.empty() ? status : take_outcomes(done, program, statuses, true, status);
}

int MPI_Testall(int count, MPI_Request program[], int* flag, MPI_Status statuses[]) {
  const Entry entry;
  call_point.pass();
  return in_vain(test_all(false, count, program, flag, statuses), flag);
}

int MPI_Waitsome(int count, MPI_Request program[], int* number, int indices[], MPI_Status statuses[]) {
  const Entry entry;
  call_point.pass();
  if (call_point.watching())
    return wait_breakably([&](int* done) {
      const int status = test_some(true, count, program, number, indices, statuses);
      *done = *number;
      return status;
    });
  if (const auto done = done_in(count, program); !done.empty())
    return take_some(done, program, number, indices, statuses);
  return completing(
      count, program, [&](MPI_Request* real) { return waiting<PMPI_Waitsome>(count, real, number, indices, statuses); },
      these(number, indices));
}

int MPI_Testsome(int count, MPI_Request program[], int* number, int indices[], MPI_Status statuses[]) {
  const Entry entry;
  call_point.pass();
  return in_vain(test_some(false, count, program, number, indices, statuses), number);
}

int MPI_Waitany(int count, MPI_Request program[], int* index, MPI_Status* status) {
  const Entry entry;
  call_point.pass();
  if (call_point.watching())
    return wait_breakably([&](int* done) { return test_any(true, count, program, index, done, status); });
  if (const auto done = done_in(count, program); !done.empty()) {
    *index = done.front();
    return requests().take_outcome(&program[*index], status);
  }
  return completing(
      count, program, [&](MPI_Request* real) { return waiting<PMPI_Waitany>(count, real, index, status); },
      one_if(&always, index));
}

int MPI_Testany(int count, MPI_Request program[], int* index, int* flag, MPI_Status* status) {
  const Entry entry;
  call_point.pass();
  return in_vain(test_any(false, count, program, index, flag, status), flag);
}

int MPI_Request_free(MPI_Request* request) {
  const Entry entry;
  if (!comms.managed() || request == nullptr) return PMPI_Request_free(request);
  if (requests().find(*request) != nullptr) return requests().free(request);
  MPI_Request real = real_of(*request);
  return PMPI_Request_free(&real);
}

int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  const Entry entry;
  call_point.pass();
  if (is_done(request)) {
    *flag = 1;
    if (status != MPI_STATUS_IGNORE) *status = requests().find(request)->outcome.status;
    return MPI_SUCCESS;
  }
  const int result = PMPI_Request_get_status(comms.managed() ? real_of(request) : request, flag, status);
  return in_vain(result, flag, &request);
}

int MPI_Cancel(MPI_Request* request) {
  const Entry entry;
  if (!comms.managed() || request == nullptr) return PMPI_Cancel(request);
  Request* const found = requests().find(*request);
  if (found != nullptr && found->state == Request::State::done) return MPI_SUCCESS;  // too late
  if (found != nullptr) return requests().cancel(*found);
  MPI_Request real = real_of(*request);
  return PMPI_Cancel(&real);
}

int MPI_Grequest_complete(MPI_Request request) {
  const Entry entry;
  return PMPI_Grequest_complete(comms.managed() ? real_of(request) : request);
}

}  // extern "C"
