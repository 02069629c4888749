/// From MPI_Init to MPI_Finalize.
#include "mpi/environment.hpp"

#include <mpi.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "address/carried_objects.hpp"
#include "address/preload.hpp"
#include "address/process/process_state.hpp"
#include "address/program_stack.hpp"
#include "address/program_time.hpp"
#include "c_library/open_files.hpp"
#include "extension.hpp"
#include "handles.hpp"
#include "log.hpp"
#include "mpi/call_point.hpp"
#include "mpi/clock.hpp"
#include "mpi/collective_counts.hpp"
#include "mpi/collective_points.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/fortran_arguments.hpp"
#include "mpi/mpi_objects.hpp"
#include "mpi/own_attributes.hpp"
#include "mpi/refuse.hpp"
#include "mpi/requests.hpp"
#include "mpi/turns.hpp"

namespace cppc::mpi {

namespace {

/// What the program was told of threads, when that was in the process that this one replaces.
std::optional<int>& earlier_level() {
  static constinit std::optional<int> level;
  return level;
}

/// Of `start`, which starts MPI, the result.
template <class Start>
int with_own_descriptors(Start start) {
  if (!cppc::address::kept_by_address()) {
    const int status = start();
    cppc::c_library::note_open_files();  // MPI's, too
    return status;
  }
  cppc::address::process::mpi_starts();
  const int status = start();
  cppc::address::process::mpi_started();
  return status;
}

/// For who starts replacements, as long as this process lives (CPPC_SEVERAL_THREADS_FILE).
void publish_several_threads() {
  if (memfd_create(CPPC_SEVERAL_THREADS_FILE, MFD_CLOEXEC) < 0)
    log().warn("that several threads call MPI cannot be published: {}", std::strerror(errno));
}

bool has_marks() { return cppc::address::program_calls("cppc_safe_point_rung"); }

void start_extension() {
  const auto place = extension::start();
  if (!place) return;
  if (cppc::address::kept_by_address())
    address::preload::mpi_starts();
  else if (address::preload::is_asked_for())
    abort_job(
        "libcppc is preloaded into a program that is not linked with MPI and loads it by dlopen(): its ranks "
        "cannot be moved, but mpirun runs it as it is");
  if (!fortran::comes_first())
    abort_job("MPI's functions for Fortran come before libcppc: link the program with -lcppc before -lmpi_mpifh");
  comms.manage(place->replacement ? nullptr : place->world, place->rank, place->size);
  if (call_point.watching())
    collective_counts().count(*call_point.calls(), static_cast<std::uint32_t>(place->size));
  else if (cppc::address::kept_by_address() && !has_marks())
    collective_points.enable();
  if (place->replacement) return;
  must(PMPI_Comm_set_name(place->world, "MPI_COMM_WORLD"), "MPI_Comm_set_name");
  must(PMPI_Comm_set_errhandler(place->world, MPI_ERRORS_ARE_FATAL), "MPI_Comm_set_errhandler");
  cppc::address::program_stack::clear_unused();
}

}  // namespace

void write_thread_level(ByteWriter& writer) {
  int level = MPI_THREAD_SINGLE;
  must(MPI_Query_thread(&level), "MPI_Query_thread");
  writer.i32(level);
}

void read_thread_level(ByteReader& reader) {
  const int level = reader.i32();
  if (level < MPI_THREAD_SINGLE || level > MPI_THREAD_MULTIPLE) return reader.fail();
  earlier_level() = level;
  if (level > MPI_THREAD_SERIALIZED) turns.begin();
}

}  // namespace cppc::mpi

int cppc::mpi_state::watch_calls(const volatile std::uint32_t* word, const cppc_calls* calls, void (*stop)()) {
  if (calls == nullptr) {
    mpi::call_point.watch(nullptr, nullptr, nullptr);
    mpi::collective_counts().end();
    return 0;
  }
  if (!address::kept_by_address()) return mpi::has_marks() ? CPPC_AT_MARKS : CPPC_NOWHERE;
  mpi::call_point.watch(word, calls, stop);
  return mpi::has_marks() ? CPPC_AT_CALLS_AND_MARKS : CPPC_AT_CALLS;
}

int cppc::mpi_state::thread_level() {
  int level = MPI_THREAD_SINGLE;
  mpi::must(PMPI_Query_thread(&level), "MPI_Query_thread");
  return mpi::earlier_level().value_or(level);
}

void cppc::mpi_state::look_between_calls() { mpi::call_point.pass_between(); }

using namespace cppc::mpi;

extern "C" {

int MPI_Init(int* argc, char*** argv) {
  const Entry entry;
  const int status = with_own_descriptors([&] { return PMPI_Init(argc, argv); });
  if (status == MPI_SUCCESS) start_extension();
  return status;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const Entry entry;
  const char* extension = std::getenv("CPPC_EXTENSION");
  const bool extended = extension != nullptr && *extension != '\0';
  const bool too_high = extended && required > MPI_THREAD_SERIALIZED && !cppc::address::kept_by_address();
  const int status = with_own_descriptors([&] {
    if (extended && required > MPI_THREAD_SERIALIZED && !too_high) publish_several_threads();
    return PMPI_Init_thread(argc, argv, too_high ? MPI_THREAD_SERIALIZED : required, provided);
  });
  if (status != MPI_SUCCESS) return status;
  start_extension();
  if (extended && *provided > MPI_THREAD_SERIALIZED) turns.begin();
  if (too_high && comms.world_rank() == 0 && !comms.awaits_world())
    cppc::log().warn(
        "MPI_THREAD_MULTIPLE is not supported in a program that is built with --portable: it gets "
        "MPI_THREAD_SERIALIZED, so only one thread at a time may call MPI");
  return status;
}

int MPI_Query_thread(int* provided) {
  const Entry entry;
  if (!earlier_level()) return PMPI_Query_thread(provided);
  *provided = *earlier_level();
  return MPI_SUCCESS;
}

int MPI_Finalize(void) {
  const Entry entry;
  while (call_point.watching() && !cppc::extension::all_finalize()) call_point.pass();
  collective_counts().begin(MPI_COMM_WORLD);
  cppc::extension::finish();
  if (comms.managed()) {
    for (const MPI_Comm comm : {MPI_COMM_SELF, MPI_COMM_WORLD}) own_attributes<MPI_Comm>().erase_all(comm);
    requests().free_real();
    comms.free_all();
  }
  return PMPI_Finalize();
}

int MPI_Abort(MPI_Comm comm, int errorcode) {
  const Entry entry;
  if (comms.awaits_world())  // a replacement, which the job does not need yet
    cppc::die(CPPC_ERR_REFUSED, "the program calls MPI_Abort before it has the state of the rank that it replaces");
  return PMPI_Abort(comms.real(comm, __func__), errorcode);
}

/// The handles of MPI's tools are addresses in this process, in memory that is not the program's.
int MPI_T_init_thread(int required, int* provided) {
  const Entry entry;
  if (cppc::address::kept_by_address()) {
    int initialized = 0;
    PMPI_Initialized(&initialized);
    if (initialized != 0) refuse(__func__);
    cppc::die(CPPC_ERR_UNSUPPORTED, "MPI_T_init_thread is not supported in a program that can be moved");
  }
  return PMPI_T_init_thread(required, provided);
}

double MPI_Wtime(void) {
  const Entry entry;
  return wall_time();
}

}  // extern "C"
