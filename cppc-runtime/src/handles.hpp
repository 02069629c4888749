/// What capture and restore need of the MPI part (src/mpi) and of the C library's (src/c_library): their share of the
/// runtime block, and handles of both in the program's objects. Called by the thread that calls MPI. Nothing throws.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <tl/expected.hpp>

#include "bytes.hpp"
#include "cppc/hooks.h"
#include "translation.hpp"

namespace cppc::handles {

/// The number that stands for the handle stored at `field`, which is as large as its type and need not be aligned;
/// `kind` is CPPC_FILE or one of the CPPC_MPI_ kinds. The error says, for a message that goes on to name the object,
/// why the handle cannot be carried over.
tl::expected<std::uint64_t, std::string> encode(cppc_kind kind, const void* field);

/// Stores at `field` the handle that `stored` stands for. Only after mpi_state::restore(). Any `stored` may come: one
/// that encode() has never given is an error, said as above.
tl::expected<void, std::string> decode(cppc_kind kind, std::uint64_t stored, void* field);

}  // namespace cppc::handles

namespace cppc::mpi_state {

/// Those of an image, which datatypes of another architecture are translated by.
struct Types {
  std::span<const cppc_type* const> image;
  Translation& translation;
};

/// Writes the MPI part of the runtime block: after all encode() of a capture. Without MPI_Init: an empty state. An
/// error (CPPC_ERR_UNSUPPORTED), logged by name, leaves everything as it was.
cppc_status serialize(ByteWriter& writer);

/// In a replacement: takes over what serialize() wrote, before any decode(); communicators become real in rebuild().
/// `reader` holds the MPI part and nothing else. Hostile bytes give CPPC_ERR_IMAGE, logged. `types`: the image is of
/// another architecture; what has another form here is CPPC_ERR_UNSUPPORTED, logged by name.
cppc_status restore(ByteReader& reader, const Types* types = nullptr);
/// Whether restore() could read it; nothing is made of it.
cppc_status check(ByteReader& reader);

/// The functions of the same names in cppc_runtime (cppc/hooks.h). `stop` stops the rank inside a call.
int watch_calls(const volatile std::uint32_t* word, const cppc_calls* calls, void (*stop)());

/// Between two calls: as at one, if the program can be stopped there.
void look_between_calls();

/// threads_keep_it(): it has others that may call MPI at any time, so it cannot be stopped.
/// entered(): how often the thread that stops has entered functions of MPI, in a program whose threads take turns there
/// (mpi/turns.hpp); when it goes on, maybe in another process, it has its turn again.
bool threads_keep_it();
unsigned entered();
void go_on(unsigned entered);
void traffic(cppc_traffic* out);
int drain();
void resume();
int progress();
std::uint64_t sharers(std::span<int> ranks);
int thread_level();

/// cppc_hooks.go_together, or null.
void ask_about_members(int (*go_together)(const int* ranks, std::uint64_t count));
void take_part(const cppc_collective_count* count, std::uint64_t what, std::uint64_t elements);
cppc_status rebuild(MPI_Comm world);
void abandon();

}  // namespace cppc::mpi_state
