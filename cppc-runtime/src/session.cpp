#include "session.hpp"

#include <string>

#include "address/expectation.hpp"
#include "address/process/process_state.hpp"
#include "address/program_stack.hpp"
#include "address/program_time.hpp"
#include "guarded.hpp"
#include "handles.hpp"
#include "heap.hpp"
#include "log.hpp"
#include "never_destroyed.hpp"
#include "required.hpp"

namespace cppc {

namespace {

const volatile std::uint32_t never = 0;
const volatile std::uint32_t always = 1;

/// In a replacement, which has nothing without its state.
template <typename Work>
void must(Work work) noexcept {
  const cppc_status status = guarded([&] {
    work();
    return CPPC_OK;
  });
  if (status != CPPC_OK) die(status, "this process cannot take over its rank");
}

cppc_status not_now(const char* what) {
  log().error("{} is not allowed at this time", what);
  return CPPC_ERR_STATE;
}

}  // namespace

Session& session() {
  static NeverDestroyed<Session> instance;
  return *instance;
}

void Session::attach(const cppc_hooks& hooks, bool replacement) {
  hooks_ = hooks;
  mpi_state::ask_about_members(hooks.go_together);
  restarting_ = replacement;
  if (replacement) {
    cppc_control_block.doorbell = &always;
    before_death(hooks.fail);
  }
  if (replacement && registry().innermost != nullptr) {
    die(CPPC_ERR_STATE, "the program calls cppc_enter() before MPI_Init() and no cppc_start(), so it cannot be moved");
  }
}

bool Session::all_finalize() const { return !hooks_ || hooks_->all_finalize == nullptr || hooks_->all_finalize() != 0; }

void Session::detach() {
  if (restarting_) die(CPPC_ERR_MISMATCH, "the program ended before it reached the safe point of the image");
  if (!hooks_) return;
  hooks_->finish();
  hooks_.reset();
  watch(nullptr);
}

int Session::enter(cppc_frame& frame) {
  if (!restore_) fetch();
  const auto place = restore_->enter(frame);
  if (!place) die(place.error(), "this process cannot take over its rank");
  frame.place = *place;
  frame.resume = *place;
  return *place;
}

void Session::resumed(cppc_frame& frame) {
  if (!restarting_) return;
  resume(frame, false);
}

void Session::resume(cppc_frame& frame, bool innermost) {
  const cppc_status status = restore_ ? restore_->resume(frame, innermost) : CPPC_ERR_STATE;
  if (status != CPPC_OK) die(status, "this process cannot take over its rank");
  frame.resume = 0;
}

void Session::fetch() {
  phase_ = Phase::fetching;
  const cppc_status status = hooks_->fetch();
  phase_ = Phase::working;
  if (status != CPPC_OK) die(status, "the state of the rank did not arrive");
  const bool complete =
      address::kept_by_address() ? address_restore_ && address_restore_->complete() : restore_ && restore_->complete();
  if (!complete) die(CPPC_ERR_STATE, "the extension handed over no image");
}

int Session::rung(unsigned site) {
  if (restarting_) {
    die(CPPC_ERR_MISMATCH, "safe point " + std::to_string(site) + " was reached before the one of the image");
  }
  if (!hooks_ || mpi_state::threads_keep_it()) return 0;
  if (address::InsideProgram::any()) return 0;  // MPI, which has called the program, holds what is its own
  site_ = site;
  return hooks_->reached(cppc_control_block.passed, site) != 0 ? 1 : 0;
}

void Session::mark_dead(const void* address) {
  if (restarting_) return;
  if (address::kept_by_address())
    claims_.add_block(address);
  else
    dead_.add_object(address);
}

void Session::claim_object(std::span<const std::byte> object) {
  if (address::kept_by_address()) claims_.add_object(object);
}

void Session::mark_dead(std::span<const std::byte> memory, std::span<const void* const> others,
                        std::optional<const void*> within) {
  if (restarting_) return;
  if (address::kept_by_address())
    claims_.add_range(memory, others, within);
  else
    dead_.add_range(memory, others, within);
}

void Session::begin_dead_way() {
  if (!restarting_ && address::kept_by_address()) claims_.begin_way();
}

void Session::end_dead_ways() {
  if (!restarting_ && address::kept_by_address()) claims_.end_ways();
}

void Session::stop(cppc_frame& frame, int place, const void* stack) {
  if (restarting_) return enter_world(frame, place);
  if (!hooks_) return;
  frame.place = place;
  stack_ = stack;
  if (&frame == registry().innermost) {
    phase_ = Phase::stopped;
  } else {
    log().error("cppc_stop() in {}(), which is not the innermost function that is open", frame.routine->name);
  }
  hooks_->stopped(cppc_control_block.passed, site_);
  phase_ = Phase::working;
  capture_.reset();
  dead_.clear();
}

void Session::stop_here() {
  if (!hooks_) return;
  const unsigned entered = mpi_state::entered();
  address::process::hold();
  address::program_stack::clear_unused();
  address::program_stack::stop(
      [](void* self, std::byte* stack_end) { static_cast<Session*>(self)->stopped(stack_end); }, this);
  mpi_state::go_on(entered);
}

/// On the process's own stack.
void Session::stopped(std::byte* stack_end) {
  stack_ = stack_end;
  phase_ = Phase::stopped;
  hooks_->stopped(cppc_control_block.passed, site_);
  phase_ = Phase::working;
  address_capture_.reset();
  claims_.clear();
  address::process::release();
}

int Session::take_over() {
  fetch();
  cppc_control_block.passed = address_restore_->block().passed;
  site_ = address_restore_->block().site;
  if (const cppc_status status = hooks_->join(); status != CPPC_OK) die(status, "the rank could not join its world");
  before_death(nullptr);
  restarting_ = false;
  watch(watched_);
  address::Restore restored = std::move(*address_restore_);
  address_restore_.reset();
  return restored.go_on();
}

/// A replacement at its safe point.
void Session::enter_world(cppc_frame& frame, int place) {
  if (place != frame.resume) {
    die(CPPC_ERR_MISMATCH, "cppc_stop() was called at another place than that of the image");
  }
  resume(frame, true);
  cppc_control_block.passed = restore_->block().passed;
  site_ = restore_->block().site;
  if (const cppc_status status = hooks_->join(); status != CPPC_OK) die(status, "the rank could not join its world");
  before_death(nullptr);
  restore_.reset();
  restarting_ = false;
  required_calls().repeat();
  watch(watched_);
}

void Session::watch(const volatile std::uint32_t* word) {
  watched_ = word;
  if (!restarting_) cppc_control_block.doorbell = word != nullptr ? word : &never;
}

std::uint64_t Session::state_bytes() const {
  if (address::kept_by_address()) return address::state_bytes();
  return registry().bytes() + heap().bytes();
}

std::uint64_t Session::image_memory() const {
  return address::kept_by_address() ? 0 : heap().count() * Capture::bytes_of_a_block;
}

cppc_status Session::capture(cppc_status (*visit)(const cppc_block* block, void* context), void* context) {
  if (phase_ != Phase::stopped) return not_now("capture");
  if (address::kept_by_address()) return capture_by_address(visit, context);
  if (!capture_) {
    auto taken = Capture::take(cppc_control_block.passed, site_, dead_, stack_);
    if (!taken) return taken.error();
    capture_ = std::move(*taken);
  }
  return capture_->visit(visit, context);
}

cppc_status Session::capture_by_address(cppc_status (*visit)(const cppc_block* block, void* context), void* context) {
  if (!address_capture_) {
    auto taken = address::Capture::take(cppc_control_block.passed, site_, claims_, stack_end());
    if (!taken) return taken.error();
    address_capture_ = std::move(*taken);
  }
  return address_capture_->visit(visit, context);
}

cppc_status Session::capture_begin(cppc_status (*visit)(const cppc_block* block, void* context), void* context) {
  if (phase_ != Phase::stopped) return not_now("capture_begin");
  child_search_.reset();
  if (!address::kept_by_address()) return capture(visit, context);
  auto described = address::Capture::describe(cppc_control_block.passed, site_, claims_, stack_end());
  if (!described) return described.error();
  auto search = address::ChildSearch::prepare(*std::move(described));
  if (!search) return capture(visit, context);  // no addresses for what a child finds: at once, then
  return child_search_.emplace(*std::move(search)).capture().visit(visit, context);
}

void Session::capture_search() {
  if (child_search_) child_search_->search();
}

cppc_status Session::capture_end(cppc_status (*visit)(const cppc_block* block, void* context), void* context) {
  if (!child_search_) return CPPC_OK;
  const cppc_status status = child_search_->visit_result(visit, context);
  child_search_.reset();
  return status;
}

cppc_status Session::restore_begin(std::span<const std::byte> runtime_block, const KeepAlive& keep_alive) {
  if (phase_ != Phase::fetching || restore_ || address_restore_) return not_now("restore_begin");
  if (address::kept_by_address()) return address_restore_.emplace().begin(runtime_block);
  return restore_.emplace().begin(runtime_block, keep_alive, hooks_->convert);
}

cppc_status Session::restore_place(cppc_section section, const char* name, std::uint64_t bytes, void** place) {
  if (phase_ != Phase::fetching || (!restore_ && !address_restore_)) return not_now("restore_place");
  if (address_restore_) return address_restore_->place(section, name, bytes, place);
  return restore_->place(section, name, bytes, place);
}

cppc_status Session::restore_end() {
  if (phase_ != Phase::fetching || (!restore_ && !address_restore_)) return not_now("restore_end");
  if (address_restore_) return address_restore_->end();
  return restore_->end();
}

}  // namespace cppc

cppc_control cppc_control_block = {&cppc::never, 0};

int cppc_enter(cppc_frame* frame, const cppc_routine* routine, void* shadow) {
  cppc_frame*& innermost = cppc::registry().innermost;
  *frame = {innermost, routine, shadow, 0, 0};
  innermost = frame;
  if (!cppc::session().restarting()) [[likely]] {
    return 0;
  }
  cppc::must([&] { cppc::session().enter(*frame); });
  return frame->resume;
}

void cppc_resumed(cppc_frame* frame) {
  cppc::must([&] { cppc::session().resumed(*frame); });
}

void cppc_leave(cppc_frame* frame) {
  if (cppc::session().restarting()) {
    cppc::die(CPPC_ERR_MISMATCH,
              std::string(frame->routine->name) + "() returned before it reached its safe point again");
  }
  cppc::registry().innermost = frame->caller;
}

int cppc_safe_point_rung(unsigned site) {
  const cppc::address::OutsideProgram outside;
  return cppc::session().rung(site);
}

// What cannot be remembered as dead is carried over.

void cppc_dead(const void* address) {
  const cppc::address::OutsideProgram outside;
  cppc::guarded([&] {
    cppc::session().mark_dead(address);
    return CPPC_OK;
  });
}

void cppc_object(const void* address, size_t bytes) {
  const cppc::address::OutsideProgram outside;
  cppc::guarded([&] {
    cppc::session().claim_object({static_cast<const std::byte*>(address), bytes});
    return CPPC_OK;
  });
}

void cppc_dead_range(const void* address, size_t bytes) { cppc_dead_range_apart(address, bytes, nullptr, 0); }

void cppc_dead_range_apart(const void* address, size_t bytes, const void* const* others, size_t count) {
  const cppc::address::OutsideProgram outside;
  cppc::guarded([&] {
    cppc::session().mark_dead({static_cast<const std::byte*>(address), bytes}, {others, count}, std::nullopt);
    return CPPC_OK;
  });
}

void cppc_dead_range_within(const void* address, size_t bytes, const void* within, const void* const* others,
                            size_t count) {
  const cppc::address::OutsideProgram outside;
  cppc::guarded([&] {
    cppc::session().mark_dead({static_cast<const std::byte*>(address), bytes}, {others, count}, within);
    return CPPC_OK;
  });
}

void cppc_dead_way(void) {
  const cppc::address::OutsideProgram outside;
  cppc::guarded([&] {
    cppc::session().begin_dead_way();
    return CPPC_OK;
  });
}

void cppc_dead_ways_end(void) {
  const cppc::address::OutsideProgram outside;
  cppc::guarded([&] {
    cppc::session().end_dead_ways();
    return CPPC_OK;
  });
}

void cppc_execute(const cppc_required* required, void* arguments) {
  const cppc_status status = cppc::guarded([&] {
    cppc::required_calls().execute(*required, arguments);
    return CPPC_OK;
  });
  if (status != CPPC_OK) cppc::die(status, std::string("no memory to remember the call of ") + required->name + "()");
}

void cppc_stop_here(void) {
  const cppc::address::OutsideProgram outside;
  cppc::session().stop_here();
}

void cppc_stop(cppc_frame* frame, int place) {
  const void* stack = __builtin_frame_address(0);
  cppc::must([&] { cppc::session().stop(*frame, place, stack); });
}
