#include "mpi/requests.hpp"

#include <algorithm>
#include <optional>

#include "handles.hpp"
#include "log.hpp"
#include "mpi/kept.hpp"
#include "mpi/mpi_objects.hpp"

namespace cppc::mpi {

namespace {

using State = Request::State;

constexpr std::size_t least_recipe_bytes = 23;
constexpr std::size_t most = std::size_t{1} << 31;

void write_outcome(const Outcome& outcome, std::uint64_t comm, ByteWriter& writer) {
  MPI_Count bytes = 0;
  int cancelled = 0;
  must(PMPI_Get_elements_x(&outcome.status, MPI_BYTE, &bytes), "MPI_Get_elements_x");
  bytes = std::max<MPI_Count>(bytes, 0);  // Open MPI does not set it for collective operations
  must(PMPI_Test_cancelled(&outcome.status, &cancelled), "MPI_Test_cancelled");
  writer.i32(outcome.status.MPI_SOURCE);
  writer.i32(outcome.status.MPI_TAG);
  writer.i64(bytes);
  writer.u8(cancelled != 0);
  writer.i32(outcome.error);
  writer.u64(comm);
}

Outcome read_outcome(ByteReader& reader) {
  Outcome outcome;
  outcome.status.MPI_SOURCE = reader.i32();
  outcome.status.MPI_TAG = reader.i32();
  const MPI_Count bytes = reader.i64();
  if (bytes < 0) reader.fail();
  must(PMPI_Status_set_elements_x(&outcome.status, MPI_BYTE, std::max<MPI_Count>(bytes, 0)),
       "MPI_Status_set_elements_x");
  must(PMPI_Status_set_cancelled(&outcome.status, reader.u8()), "MPI_Status_set_cancelled");
  outcome.error = reader.i32();
  if (!handles::decode(CPPC_MPI_COMM, reader.u64(), static_cast<void*>(&outcome.comm))) reader.fail();
  return outcome;
}

}  // namespace

std::size_t Requests::new_slot() {
  if (slots_.size() == most) die(CPPC_ERR_MEMORY, "the program has more than 2147483647 requests");
  slots_.emplace_back();
  return slots_.size() - 1;
}

MPI_Request Requests::add_done(const Outcome& outcome) {
  const std::size_t index = take_slot();
  slots_[index].state = State::done;
  slots_[index].outcome = outcome;
  ++number_done_;
  return handle_of(index);
}

int Requests::create(const Call& call, MPI_Request* out) {
  MPI_Request made = MPI_REQUEST_NULL;
  if (const int status = init(call, &made); status != MPI_SUCCESS) return status;
  datatypes().retain(call.datatype);
  const std::size_t index = take_slot();
  Request& request = slots_[index];
  request.real = made;
  request.state = State::idle;
  request.persistent = true;
  request.receive = call.kind == CallKind::recv;
  request.kept = keep(call_type, call);
  *out = handle_of(index);
  return MPI_SUCCESS;
}

void Requests::start(Request& request, State state) {
  request.state = state;
  request.withdrawn = false;
  request.started = ++starts_;
  if (state == State::done) {
    ++number_done_;
    return;
  }
  const Call& call = *request.kept;
  if (request.receive)
    traffic.received(MPI_SUCCESS, call.peer);
  else
    traffic.sent(MPI_SUCCESS, call.peer);
  traffic.activated(1);
}

int Requests::take_outcome(MPI_Request* handle, MPI_Status* status) {
  Request& request = *find(*handle);
  const Outcome outcome = request.outcome;
  if (status != MPI_STATUS_IGNORE) {
    const int error = status->MPI_ERROR;  // set by calls of several requests alone
    *status = outcome.status;
    status->MPI_ERROR = error;
  }
  --number_done_;
  request.state = State::idle;
  if (!request.persistent) {
    remove(request);
    *handle = MPI_REQUEST_NULL;
  }
  if (outcome.error != MPI_SUCCESS) PMPI_Comm_call_errhandler(comms.real(outcome.comm, __func__), outcome.error);
  return outcome.error;
}

void Requests::release_call(Request& request) {
  datatypes().release(request.made_with().datatype);
  if (request.kept != nullptr) release_carried(request.kept);
}

int Requests::free(MPI_Request* handle) {
  Request& request = *find(*handle);
  *handle = MPI_REQUEST_NULL;
  int status = MPI_SUCCESS;
  if (request.state == State::active) {
    complete_detached();
    request.detached = true;
    ++number_detached_;
    return status;
  }
  if (request.state == State::done) --number_done_;
  if (request.persistent) status = PMPI_Request_free(&request.real);
  remove(request);
  return status;
}

int Requests::cancel(Request& request) {
  const int status = PMPI_Cancel(&request.real);
  if (status != MPI_SUCCESS || !request.receive || request.withdrawn) return status;
  int complete = 0;
  int cancelled = 0;
  MPI_Status outcome;
  PMPI_Request_get_status(request.real, &complete, &outcome);
  if (complete) PMPI_Test_cancelled(&outcome, &cancelled);
  if (cancelled) {
    request.withdrawn = true;
    traffic.withdrawn(request.made_with().peer);
  }
  return status;
}

void Requests::orphan(MPI_Comm comm) {
  for (Request& request : slots_) {
    if (request.state == State::done && request.outcome.comm == comm) request.outcome.comm = MPI_COMM_WORLD;
    const bool bound = request.state != State::none && (request.receive || request.persistent) && !request.orphan &&
                       request.made_with().comm == comm;
    if (!bound) continue;
    request.orphan = true;
    if (!request.persistent) continue;
    traffic.activated(1);
    log().warn(
        "MPI_Comm_free: a persistent request of {} uses the communicator on; no rank is migrated before it is "
        "freed, by MPI_Request_free",
        init_name(*request.kept));
  }
}

// ------------------------------------------------------------------------------------------------ at a migration point

void Requests::finish(Request& request, const Outcome& outcome) {
  if (request.state == State::active) traffic.completed(1);
  if (request.detached) {  // nobody will ask for it
    --number_detached_;
    if (request.real != MPI_REQUEST_NULL) PMPI_Request_free(&request.real);
    return remove(request);
  }
  request.state = State::done;
  request.outcome = outcome;
  request.asked_back = false;
  ++number_done_;
  if (!request.receive || request.persistent) return;
  release_call(request);
  request.kept = nullptr;
  request.receive = false;
}

void Requests::park(Request& request) {
  traffic.completed(1);
  traffic.withdrawn(request.made_with().peer);
  request.state = State::parked;
  if (!request.persistent) request.kept = keep(call_type, request.call);
}

void Requests::post_again(Request& request, MPI_Request real) {
  traffic.received(MPI_SUCCESS, request.kept->peer);
  traffic.activated(1);
  request.state = State::active;
  request.asked_back = false;
  if (request.persistent) return;
  request.real = real;
  request.call = *request.kept;
  release_carried(request.kept);
  request.kept = nullptr;
}

bool Requests::makes(MPI_Comm comm) const {
  return std::ranges::any_of(
      slots_, [&](const Request& request) { return request.state == State::active && request.makes == comm; });
}

std::vector<Request*> Requests::in(State state) {
  std::vector<Request*> found;
  for (Request& request : slots_) {
    if (request.state == state) found.push_back(&request);
  }
  std::ranges::sort(found, {}, &Request::started);
  return found;
}

void Requests::complete_detached() {
  if (number_detached_ == 0) return;
  for (Request& request : slots_) {
    if (!request.detached || request.state != State::active) continue;
    int complete = 0;
    PMPI_Request_get_status(request.real, &complete, MPI_STATUS_IGNORE);
    if (complete) finish(request, {});
  }
}

// ------------------------------------------------------------------------------------------------------- in an image

std::vector<RequestRecipe> Requests::recipes() {
  std::vector<RequestRecipe> recipes;
  std::optional<BlockNumbers> numbers;
  for (std::size_t index = 1; index < slots_.size(); ++index) {
    const Request& request = slots_[index];
    if (request.state == State::none) continue;
    if (request.kept != nullptr && !numbers) numbers.emplace();
    recipes.push_back({.index = index,
                       .state = request.state,
                       .persistent = request.persistent,
                       .detached = request.detached,
                       .started = request.started,
                       .block = request.kept != nullptr ? numbers->of(request.kept) : 0,
                       .outcome = request.outcome});
  }
  return recipes;
}

cppc_status Requests::write(const std::vector<RequestRecipe>& recipes, ByteWriter& writer) {
  writer.u64(recipes.size());
  for (const RequestRecipe& recipe : recipes) {
    if (recipe.state == State::active) {
      log().error("a request is active at the migration point: complete it before the safe point");
      return CPPC_ERR_NOT_QUIET;
    }
    writer.u32(static_cast<std::uint32_t>(recipe.index));
    writer.u8(static_cast<std::uint8_t>(recipe.state));
    writer.u8(recipe.persistent);
    writer.u8(recipe.detached);
    writer.u64(recipe.started);
    writer.u64(recipe.block);
    if (recipe.state != State::done) continue;
    const auto comm = handles::encode(CPPC_MPI_COMM, static_cast<const void*>(&recipe.outcome.comm));
    if (!comm) {
      log().error("the communicator of a request that is complete cannot be carried over: {}", comm.error());
      return CPPC_ERR_UNSUPPORTED;
    }
    write_outcome(recipe.outcome, *comm, writer);
  }
  return CPPC_OK;
}

std::vector<RequestRecipe> Requests::read(ByteReader& reader) {
  std::vector<RequestRecipe> recipes(reader.count(least_recipe_bytes));
  std::size_t before = 0;
  for (RequestRecipe& recipe : recipes) {
    recipe.index = reader.u32();
    const std::uint8_t state = reader.u8();
    recipe.state = static_cast<State>(state);
    recipe.persistent = reader.u8() != 0;
    recipe.detached = reader.u8() != 0;
    recipe.started = reader.u64();
    recipe.block = reader.u64();
    const bool idle = recipe.state == State::idle, parked = recipe.state == State::parked;
    const bool done = recipe.state == State::done;
    const bool sound = recipe.index > before && recipe.index < most && (idle || parked || done) &&
                       (!idle || recipe.persistent) && (parked || !recipe.detached) &&
                       (recipe.block != 0) == (recipe.persistent || parked);
    if (!sound) reader.fail();
    if (!reader.ok()) return {};
    if (done) recipe.outcome = read_outcome(reader);
    before = recipe.index;
  }
  return recipes;
}

cppc_status Requests::adopt(const std::vector<RequestRecipe>& recipes) {
  if (recipes.empty()) return CPPC_OK;
  const BlockNumbers numbers;
  slots_.resize(recipes.back().index + 1);
  for (const RequestRecipe& recipe : recipes) {
    Request& request = slots_[recipe.index];
    request.state = recipe.state;
    request.persistent = recipe.persistent;
    request.detached = recipe.detached;
    request.started = recipe.started;
    request.outcome = recipe.outcome;
    starts_ = std::max(starts_, recipe.started);
    number_done_ += recipe.state == State::done ? 1 : 0;
    number_detached_ += recipe.detached ? 1 : 0;
    if (recipe.block == 0) continue;
    request.kept = call_at(numbers, recipe.block);
    if (request.kept == nullptr) return CPPC_ERR_IMAGE;
    request.receive = request.kept->kind == CallKind::recv;
    if (recipe.state == State::parked && !request.receive) {
      log().error("block {} of the image is no receive", recipe.block);
      return CPPC_ERR_IMAGE;
    }
  }
  for (std::size_t index = slots_.size(); --index > 0;) {
    if (slots_[index].state == State::none) free_.push_back(static_cast<std::uint32_t>(index));
  }
  return CPPC_OK;
}

void Requests::free_real() {
  for (Request& request : slots_) {
    if (request.real != MPI_REQUEST_NULL) must(PMPI_Request_free(&request.real), "MPI_Request_free");
  }
}

cppc_status Requests::make_real() {
  cppc_status result = CPPC_OK;
  for (Request& request : slots_) {
    if (!request.persistent) continue;
    const int status = init(*request.kept, &request.real);
    if (status == MPI_SUCCESS) continue;
    log().error("cannot make a persistent request again: {}: {}", init_name(*request.kept), error_text(status));
    result = CPPC_ERR_MPI;
  }
  return result;
}

}  // namespace cppc::mpi
