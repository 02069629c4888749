#include "mpi/requests.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "mpi/persistent.hpp"
#include "mpi/traffic.hpp"
#include "never_destroyed.hpp"

namespace cppc::mpi {

namespace {

bool cancelled = false;

std::vector<MPI_Request>& detached() {
  static NeverDestroyed<std::vector<MPI_Request>> requests;
  return *requests;
}

std::int64_t count_of(std::span<const MPI_Request> requests) {
  return std::ranges::count_if(requests, [](MPI_Request request) { return request != MPI_REQUEST_NULL; });
}

/// Empty when `count` is negative, as MPI_UNDEFINED is.
template <class T>
std::span<T> view(int count, T* items) {
  return {items, static_cast<std::size_t>(std::max(count, 0))};
}

PersistentRequest* persistent(MPI_Request request) { return persistent_requests().find(request); }

/// A handle of a persistent request that has been freed gives nullptr, an invalid request to MPI.
MPI_Request real_of(MPI_Request request) {
  if (!PersistentRequests::Table::is_virtual(request)) return request;
  const PersistentRequest* const found = persistent(request);
  return found != nullptr ? found->real : nullptr;
}

bool has_persistent(std::span<const MPI_Request> requests) {
  return std::ranges::any_of(requests, PersistentRequests::Table::is_virtual);
}

/// The real requests of an array, for one call of MPI, which may change them.
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
      if (PersistentRequest* const found = persistent(program_[i])) {
        found->real = real_[i];
      } else if (real_[i] != nullptr) {
        program_[i] = real_[i];
      }
    }
  }

  [[nodiscard]] std::span<MPI_Request> get() const { return real_; }

 private:
  std::span<MPI_Request> program_;
  std::array<MPI_Request, 32> few_;
  std::vector<MPI_Request> many_;
  std::span<MPI_Request> real_;
};

/// A persistent request goes on existing when it is complete.
void deactivate(MPI_Request request) {
  PersistentRequest* const found = persistent(request);
  if (found == nullptr || !found->active) return;
  found->active = false;
  traffic.completed(1);
}

/// Likewise, those that are complete after a call that failed.
void deactivate_complete(std::span<const MPI_Request> requests) {
  for (const MPI_Request request : requests) {
    const PersistentRequest* const found = persistent(request);
    int complete = 0;
    if (found != nullptr) PMPI_Request_get_status(found->real, &complete, MPI_STATUS_IGNORE);
    if (complete) deactivate(request);
  }
}

/// `complete(requests)` is a call of MPI that completes some of `requests`: those that it sets to MPI_REQUEST_NULL, and
/// of the persistent ones those for which `deactivate_in(status, requests)` calls deactivate(), with the program's
/// array.
template <class Complete, class Deactivate>
int completing(int count, MPI_Request* requests, Complete complete, Deactivate deactivate_in) {
  if (!comms.managed() || requests == nullptr) return complete(requests);
  const auto all = view(count, requests);
  if (!has_persistent(all)) {
    const std::int64_t before = count_of(all);
    const int status = complete(requests);
    traffic.completed(before - count_of(all));
    return status;
  }
  int status = MPI_SUCCESS;
  {
    const RealRequests real(all);
    const std::int64_t before = count_of(real.get());
    status = complete(real.get().data());
    traffic.completed(before - count_of(real.get()));
  }
  deactivate_in(status, std::span<const MPI_Request>(all));
  return status;
}

/// For calls that complete all, if `*done`, or fail.
auto all_if(const int* done) {
  return [done](int status, std::span<const MPI_Request> requests) {
    if (status != MPI_SUCCESS) return deactivate_complete(requests);
    if (*done) std::ranges::for_each(requests, deactivate);
  };
}

/// For calls that complete the one at `*index`, if `*done`.
auto one_if(const int* done, const int* index) {
  return [done, index](int status, std::span<const MPI_Request> requests) {
    if (status != MPI_SUCCESS) return deactivate_complete(requests);
    if (*done && *index != MPI_UNDEFINED) deactivate(requests[static_cast<std::size_t>(*index)]);
  };
}

/// For calls that complete those at the first `*number` of `indices`.
auto these(const int* number, const int* indices) {
  return [number, indices](int status, std::span<const MPI_Request> requests) {
    if (status != MPI_SUCCESS && status != MPI_ERR_IN_STATUS) return;
    for (const int index : view(*number, indices)) deactivate(requests[static_cast<std::size_t>(index)]);
  };
}

constexpr int always = 1;

int start(std::span<MPI_Request> requests, int (*start_real)(std::span<MPI_Request> real)) {
  if (!comms.managed() || !has_persistent(requests)) return start_real(requests);
  int status = MPI_SUCCESS;
  {
    const RealRequests real(requests);
    // MPI_Start looks into whatever it gets: one that has been freed goes as a request that cannot be started.
    std::ranges::replace(real.get(), MPI_Request{nullptr}, MPI_REQUEST_NULL);
    status = start_real(real.get());
  }
  if (status != MPI_SUCCESS) return status;
  for (const MPI_Request request : requests) {
    if (PersistentRequest* const found = persistent(request)) PersistentRequests::started(*found);
  }
  return status;
}

void detach(MPI_Request request) {
  complete_detached();
  detached().push_back(request);
}

int free_persistent(MPI_Request* request) {
  PersistentRequest& freed = *persistent(*request);
  int status = MPI_SUCCESS;
  if (freed.active) {
    detach(freed.real);
  } else {
    status = PMPI_Request_free(&freed.real);
  }
  persistent_requests().remove(*request);
  *request = MPI_REQUEST_NULL;
  return status;
}

}  // namespace

void complete_detached() {
  for (MPI_Request& request : detached()) {
    int complete = 0;
    PMPI_Test(&request, &complete, MPI_STATUS_IGNORE);
    if (complete && request != MPI_REQUEST_NULL) PMPI_Request_free(&request);  // a persistent one
  }
  traffic.completed(static_cast<std::int64_t>(std::erase(detached(), MPI_REQUEST_NULL)));
}

void release_detached() {
  for (MPI_Request& request : detached()) PMPI_Request_free(&request);
  detached().clear();
}

bool cancel_called() { return cancelled; }

}  // namespace cppc::mpi

using namespace cppc::mpi;

extern "C" {

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  return completing(
      1, request, [&](MPI_Request* real) { return PMPI_Wait(real, status); }, all_if(&always));
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  return completing(
      1, request, [&](MPI_Request* real) { return PMPI_Test(real, flag, status); }, all_if(flag));
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  return completing(
      count, requests, [&](MPI_Request* real) { return PMPI_Waitall(count, real, statuses); }, all_if(&always));
}

int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  return completing(
      count, requests, [&](MPI_Request* real) { return PMPI_Testall(count, real, flag, statuses); }, all_if(flag));
}

int MPI_Waitsome(int count, MPI_Request requests[], int* done, int indices[], MPI_Status statuses[]) {
  return completing(
      count, requests, [&](MPI_Request* real) { return PMPI_Waitsome(count, real, done, indices, statuses); },
      these(done, indices));
}

int MPI_Testsome(int count, MPI_Request requests[], int* done, int indices[], MPI_Status statuses[]) {
  return completing(
      count, requests, [&](MPI_Request* real) { return PMPI_Testsome(count, real, done, indices, statuses); },
      these(done, indices));
}

int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  return completing(
      count, requests, [&](MPI_Request* real) { return PMPI_Waitany(count, real, index, status); },
      one_if(&always, index));
}

int MPI_Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
  return completing(
      count, requests, [&](MPI_Request* real) { return PMPI_Testany(count, real, index, flag, status); },
      one_if(flag, index));
}

int MPI_Start(MPI_Request* request) {
  if (!comms.managed() || request == nullptr) return PMPI_Start(request);
  return start({request, 1}, [](std::span<MPI_Request> real) { return PMPI_Start(real.data()); });
}

int MPI_Startall(int count, MPI_Request requests[]) {
  if (!comms.managed() || requests == nullptr) return PMPI_Startall(count, requests);
  return start(view(count, requests),
               [](std::span<MPI_Request> real) { return PMPI_Startall(static_cast<int>(real.size()), real.data()); });
}

int MPI_Request_free(MPI_Request* request) {
  if (!comms.managed() || request == nullptr || *request == MPI_REQUEST_NULL) return PMPI_Request_free(request);
  if (persistent(*request) != nullptr) return free_persistent(request);
  MPI_Request real = real_of(*request);
  if (real == nullptr) return PMPI_Request_free(&real);
  detach(real);
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  return PMPI_Request_get_status(comms.managed() ? real_of(request) : request, flag, status);
}

int MPI_Cancel(MPI_Request* request) {
  if (!comms.managed() || request == nullptr) return PMPI_Cancel(request);
  MPI_Request real = real_of(*request);
  const int status = PMPI_Cancel(&real);
  if (!cancelled) traffic.started(status, request);
  cancelled = cancelled || status == MPI_SUCCESS;
  return status;
}

}  // extern "C"
