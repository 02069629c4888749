/// The share of a rank's state that MPI and the C library hold: communicators, groups, requests, windows and files,
/// made again whenever a rank has moved; datatypes, operations, error handlers, info objects, open files and random
/// numbers, made again in a replacement.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "address/program_time.hpp"
#include "c_library/open_files.hpp"
#include "c_library/random.hpp"
#include "c_library/streams.hpp"
#include "handles.hpp"
#include "log.hpp"
#include "mpi/attached_buffer.hpp"
#include "mpi/attributes.hpp"
#include "mpi/clock.hpp"
#include "mpi/collective_counts.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/datatypes.hpp"
#include "mpi/description.hpp"
#include "mpi/drain.hpp"
#include "mpi/environment.hpp"
#include "mpi/error_codes.hpp"
#include "mpi/error_handlers.hpp"
#include "mpi/files.hpp"
#include "mpi/groups.hpp"
#include "mpi/infos.hpp"
#include "mpi/mailbox.hpp"
#include "mpi/operations.hpp"
#include "mpi/own_attributes.hpp"
#include "mpi/requests.hpp"
#include "mpi/traffic.hpp"
#include "mpi/windows.hpp"
#include "never_destroyed.hpp"

namespace cppc::mpi_state {
using namespace mpi;
namespace {

/// All communicators, groups and windows of a process. Each is made from its members alone, so neither the call that
/// made it counts nor what it came from, which may be gone; and nothing has to be kept up to date while the program
/// runs.
struct Communicators {
  Settings world;
  Settings self;
  /// In the order in which they were made. It is the same in all processes that share two of them, as each was made by
  /// a collective call, so making them again in this order cannot deadlock.
  std::vector<std::pair<std::size_t, Description>> derived;
  GroupMembers groups;
  WindowDescriptions windows;
};

/// What a replacement needs until rebuild().
struct Restored {
  Communicators communicators;
  std::vector<RequestRecipe> requests;
  AttributeBlocks comm_attributes, window_attributes, type_attributes;
  std::uint64_t attached_buffer;
};

/// What it needs at once, before the program's objects are decoded, or at the very end.
struct Local {
  std::vector<DatatypeRecipe> datatypes;
  std::vector<OperationRecipe> operations;
  std::vector<InfoRecipe> infos;
  std::vector<ErrorCodes::Added> error_codes;
  std::vector<ErrorHandlerRecipe> error_handlers;
  StoredFiles files;
  c_library::RandomState random;
  std::vector<c_library::StreamRecipe> streams;
};

std::optional<Restored>& restored() {
  static NeverDestroyed<std::optional<Restored>> objects;
  return *objects;
}

std::optional<c_library::RandomState>& restored_random() {
  static NeverDestroyed<std::optional<c_library::RandomState>> state;
  return *state;
}

/// `spanning`: with the windows that are made anew only when all of their members have moved.
Communicators present(bool spanning) {
  const Group world = Group::of(comms.world());
  Communicators all{.world = Settings::of(comms.world()),
                    .self = Settings::of(MPI_COMM_SELF),
                    .derived = {},
                    .groups = groups().members(world),
                    .windows = windows().describe(world, spanning)};
  for (const std::size_t index : comms.indices()) {
    all.derived.emplace_back(index, Description::of(comms.at(index), world));
  }
  return all;
}

bool portable(const Communicators& all) {
  bool good = windows().portable(all.windows);
  good = all.world.error_handler.portable("MPI_COMM_WORLD") && good;
  good = all.self.error_handler.portable("MPI_COMM_SELF") && good;
  for (const auto& [index, description] : all.derived) {
    const Settings& settings = description.settings;
    good = settings.error_handler.portable(communicator_name(index, settings.name)) && good;
  }
  for (const WindowDescription& window : all.windows)
    good = window.error_handler.portable(window_name(window.index, window.name)) && good;
  return good;
}

void write(const Communicators& all, ByteWriter& writer) {
  all.world.write(writer);
  all.self.write(writer);
  writer.u64(all.derived.size());
  for (const auto& [index, description] : all.derived) {
    writer.u32(static_cast<std::uint32_t>(index));
    description.write(writer);
  }
  Groups::write(all.groups, writer);
  Windows::write(all.windows, writer);
}

Communicators read_communicators(ByteReader& reader) {
  Communicators all{
      .world = Settings::read(reader), .self = Settings::read(reader), .derived = {}, .groups = {}, .windows = {}};
  std::vector<bool> seen(CommTable::limit);
  const std::uint64_t number = reader.count(sizeof(std::uint32_t));
  for (std::uint64_t i = 0; i < number && reader.ok(); ++i) {
    const std::uint32_t index = reader.u32();
    if (index == 0 || index >= CommTable::limit || seen[index]) {
      reader.fail();
      break;
    }
    seen[index] = true;
    all.derived.emplace_back(index, Description::read(reader, comms.world_rank(), comms.world_size()));
  }
  all.groups = Groups::read(reader, comms.world_size());
  all.windows = Windows::read(reader, comms.world_rank(), comms.world_size());
  return all;
}

cppc_status find_error_handlers(Communicators& all) {
  cppc_status status = all.world.error_handler.find();
  if (status == CPPC_OK) status = all.self.error_handler.find();
  for (auto& [index, description] : all.derived)
    if (status == CPPC_OK) status = description.settings.error_handler.find();
  for (WindowDescription& window : all.windows)
    if (status == CPPC_OK) status = window.error_handler.find();
  return status;
}

/// Whether this process has its rank in `world` again.
bool in_place(MPI_Comm world) {
  int rank = MPI_PROC_NULL;
  int size = 0;
  must(PMPI_Comm_rank(world, &rank), "MPI_Comm_rank");
  must(PMPI_Comm_size(world, &size), "MPI_Comm_size");
  if (rank == comms.world_rank() && size == comms.world_size()) return true;
  log().error("the new world has this process as rank {} of {} instead of {} of {}", rank, size, comms.world_rank(),
              comms.world_size());
  return false;
}

cppc_status write_mpi(ByteWriter& writer) {
  const Communicators all = present(/*spanning=*/true);
  if (!portable(all)) return CPPC_ERR_UNSUPPORTED;
  writer.i32(comms.world_rank());
  writer.i32(comms.world_size());
  write_clock(writer);
  write_thread_level(writer);
  write_launch(writer);
  collective_counts().write(writer);
  write(all, writer);
  if (const cppc_status status = Requests::write(requests().recipes(), writer); status != CPPC_OK) return status;
  if (const cppc_status status = mailbox().write(writer); status != CPPC_OK) return status;
  mpi::write(own_attributes<MPI_Comm>().blocks(), writer);
  mpi::write(own_attributes<MPI_Win>().blocks(), writer);
  mpi::write(own_attributes<MPI_Datatype>().blocks(), writer);
  write_attached_buffer(writer);
  if (const cppc_status status = datatypes().write(writer); status != CPPC_OK) return status;
  if (const cppc_status status = operations().write(writer); status != CPPC_OK) return status;
  infos().write(writer);
  error_codes().write(writer);
  if (const cppc_status status = error_handlers().write(writer); status != CPPC_OK) return status;
  return files().write(writer);
}

cppc_status write_c_library(ByteWriter& writer) {
  const auto random = c_library::RandomState::present();
  if (!random) return random.error();
  random->write(writer);
  if (address::kept_by_address()) return CPPC_OK;
  if (const cppc_status status = c_library::write_streams(writer); status != CPPC_OK) return status;
  return c_library::refuse_open_files(files().paths());
}

void read_mpi(ByteReader& reader, Local& local) {
  const int rank = reader.i32();
  const int size = reader.i32();
  if (rank != comms.world_rank() || size != comms.world_size()) reader.fail();
  read_clock(reader);
  read_thread_level(reader);
  read_launch(reader);
  collective_counts().read(reader);
  Communicators communicators = read_communicators(reader);
  auto recipes = Requests::read(reader);
  mailbox().read(reader);
  restored() = Restored{.communicators = std::move(communicators),
                        .requests = std::move(recipes),
                        .comm_attributes = read_attributes(reader),
                        .window_attributes = read_attributes(reader),
                        .type_attributes = read_attributes(reader),
                        .attached_buffer = reader.u64()};
  local.datatypes = Datatypes::read(reader);
  local.operations = Operations::read(reader);
  local.infos = Infos::read(reader);
  local.error_codes = ErrorCodes::read(reader);
  local.error_handlers = ErrorHandlers::read(reader);
  local.files = Files::read(reader, comms.world_rank(), comms.world_size());
}

/// Nothing if that is not this rank's state.
std::optional<Local> read(ByteReader& reader) {
  const bool managed = reader.u8() != 0;
  if (managed != comms.managed()) reader.fail();
  Local local;
  if (managed && reader.ok()) read_mpi(reader, local);
  local.random = c_library::RandomState::read(reader);
  if (!address::kept_by_address()) local.streams = c_library::read_streams(reader);
  if (reader.at_end()) return local;
  log().error("the MPI part of the image does not describe rank {} of {}", comms.world_rank(), comms.world_size());
  restored().reset();
  return std::nullopt;
}

cppc_status make(Local local, const Types* types) {
  if (const cppc_status status = Windows::find_room(restored()->communicators.windows); status != CPPC_OK)
    return status;
  if (types != nullptr) {
    if (const cppc_status status = Datatypes::translate(local.datatypes, *types); status != CPPC_OK) return status;
  }
  if (const cppc_status status = datatypes().make(local.datatypes); status != CPPC_OK) return status;
  if (const cppc_status status = operations().make(local.operations); status != CPPC_OK) return status;
  if (const cppc_status status = infos().make(local.infos); status != CPPC_OK) return status;
  if (const cppc_status status = error_codes().make(std::move(local.error_codes)); status != CPPC_OK) return status;
  if (const cppc_status status = error_handlers().make(local.error_handlers); status != CPPC_OK) return status;
  if (const cppc_status status = files().adopt(std::move(local.files)); status != CPPC_OK) return status;
  return c_library::reopen(local.streams);
}

/// What is made of bytes that another architecture has in another form.
cppc_status refuse_bytes(const Local& local, const Types& types) {
  const auto refused = [&](bool there, const char* what) {
    if (there)
      log().error("{} in the image of {} cannot be carried to {}: they are bytes whose form is not known", what,
                  types.translation.writer().name, Architecture::here().name);
    return there;
  };
  const bool messages = refused(mailbox().holds_any(), "messages that nobody had received yet");
  const bool windows = refused(!restored()->communicators.windows.empty(), "windows of one-sided communication");
  const bool files = refused(!local.files.files.empty(), "open files of MPI");
  return messages || windows || files ? CPPC_ERR_UNSUPPORTED : CPPC_OK;
}

/// No rank may use a communicator before all have set its hints: what one sends that has told Open MPI that messages
/// may overtake each other is never received by one that has not. All ranks, when they have made all communicators.
void set_hints_of_world(const Hints& hints, MPI_Comm world) {
  // Open MPI lists those that it knows, as not set.
  int any = std::ranges::any_of(hints, [](const auto& hint) { return hint.second != "false"; }) ? 1 : 0;
  must(PMPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, world), "MPI_Allreduce");
  if (any == 0) return;
  MPI_Comm plain = MPI_COMM_NULL;
  must(PMPI_Comm_dup(world, &plain), "MPI_Comm_dup");
  set_hints(world, hints);
  must(PMPI_Barrier(plain), "MPI_Barrier");
  must(PMPI_Comm_free(&plain), "MPI_Comm_free");
}

cppc_status make_again(const Communicators& all, MPI_Comm world) {
  must(PMPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  for (const auto& [index, description] : all.derived) {
    const auto made = description.make(world);
    if (!made) return made.error();
    comms.put(index, *made);
  }
  set_hints_of_world(all.world.hints, world);
  groups().make(all.groups, Group::of(world));
  if (const cppc_status status = requests().make_real(); status != CPPC_OK) return status;
  if (const cppc_status status = windows().make_real(all.windows, world); status != CPPC_OK) return status;
  if (const cppc_status status = files().reopen(); status != CPPC_OK) return status;
  all.world.apply(world);
  must(PMPI_Comm_set_errhandler(MPI_COMM_WORLD, all.world.error_handler.get()), "MPI_Comm_set_errhandler");
  all.self.apply(MPI_COMM_SELF);
  mpi::resume();
  return CPPC_OK;
}

/// Frees what is bound to the world that is no more.
void free_all() {
  windows().free_real();
  requests().free_real();
  comms.free_all();
}

/// A process that stays.
cppc_status rebuild_here(MPI_Comm world) {
  const Communicators all = present(/*spanning=*/false);
  files().close_moved(world);
  free_all();
  comms.set_world(world);
  mpi::traffic.restart();
  return make_again(all, world);
}

cppc_status adopt_attributes(const Restored& objects) {
  cppc_status status = own_attributes<MPI_Comm>().adopt(objects.comm_attributes);
  if (status == CPPC_OK) status = own_attributes<MPI_Win>().adopt(objects.window_attributes);
  if (status == CPPC_OK) status = own_attributes<MPI_Datatype>().adopt(objects.type_attributes);
  return status;
}

cppc_status rebuild_replacement(MPI_Comm world) {
  if (!restored()) {
    log().error("there is nothing to rebuild: no state has been restored");
    return CPPC_ERR_STATE;
  }
  Restored objects = *std::exchange(restored(), std::nullopt);
  if (const cppc_status status = find_error_handlers(objects.communicators); status != CPPC_OK) return status;
  comms.set_world(world);
  mpi::traffic.restart();
  if (const cppc_status status = requests().adopt(objects.requests); status != CPPC_OK) return status;
  if (const cppc_status status = windows().adopt(objects.communicators.windows); status != CPPC_OK) return status;
  if (const cppc_status status = adopt_attributes(objects); status != CPPC_OK) return status;
  if (const cppc_status status = attach_again(objects.attached_buffer); status != CPPC_OK) return status;
  const cppc_status status = make_again(objects.communicators, world);
  // Last: whatever has drawn numbers here until now, the program has not.
  if (const auto random = std::exchange(restored_random(), std::nullopt)) random->apply();
  return status;
}

}  // namespace

cppc_status serialize(ByteWriter& writer) {
  writer.u8(comms.managed());
  if (comms.managed()) {
    if (const cppc_status status = write_mpi(writer); status != CPPC_OK) return status;
  }
  return write_c_library(writer);
}

cppc_status restore(ByteReader& reader, const Types* types) {
  auto local = read(reader);
  if (!local) return CPPC_ERR_IMAGE;
  if (types != nullptr && comms.managed()) {
    if (const cppc_status status = refuse_bytes(*local, *types); status != CPPC_OK) return status;
  }
  if (!comms.managed()) {
    local->random.apply();
    return c_library::reopen(local->streams);
  }
  restored_random() = local->random;
  return make(std::move(*local), types);
}

cppc_status check(ByteReader& reader) {
  if (!read(reader)) return CPPC_ERR_IMAGE;
  restored().reset();
  return CPPC_OK;
}

void traffic(cppc_traffic* out) {
  requests().complete_detached();
  *out = {.sent = mpi::traffic.sent(), .received = mpi::traffic.received(), .active = mpi::traffic.active()};
}

int drain() { return mpi::drain() ? 1 : 0; }

void resume() { mpi::resume(); }

int progress() {
  if (!windows().any()) return 0;
  int arrived = 0;
  must(PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &arrived, MPI_STATUS_IGNORE), "MPI_Iprobe");
  return 1;
}

cppc_status rebuild(MPI_Comm world) {
  if (!in_place(world)) return CPPC_ERR_MISMATCH;
  return comms.awaits_world() ? rebuild_replacement(world) : rebuild_here(world);
}

void abandon() {
  files().abandon();
  free_all();
}

}  // namespace cppc::mpi_state
