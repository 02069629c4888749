/// What a state that is kept by address consists of: memory of the program, each piece at its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bytes.hpp"
#include "cppc/hooks.h"

namespace cppc::address {

struct Piece {
  cppc_section section = CPPC_SECTION_HEAP;
  std::string name;  ///< unique in its section
  std::span<std::byte> memory;
  std::vector<cppc_part> holes;  ///< what nobody will read, or nobody has touched; not written
  bool shared = false;           ///< as in cppc_block; not written
  std::vector<cppc_part> zero;   ///< those of the holes that have to be zero, where new memory may be something else
};

/// A word of a piece that leads to a variable or function of a library that is not carried, into the thread's own
/// memory, to what a constructor had from the process, or to the dynamic linker's record of a library; that names
/// the main thread in a lock, or to the array `environ`.
struct OutwardWord {
  std::uint32_t piece = 0;
  std::uint32_t library = 0;  ///< of the block's list
  std::uint64_t offset = 0;   ///< in the piece
  std::uint64_t target = 0;   ///< offset in the library; or from the thread's register
};

/// In place of a library: the memory of the main thread that the dynamic linker has made.
inline constexpr std::uint32_t own_thread = 0xffffffff;

/// In place of a library: what the constructors of the new process have left at the same address.
inline constexpr std::uint32_t from_startup = 0xfffffffe;

/// In place of a library: half of the word is the main thread's number, the other half, the target, is as it was.
inline constexpr std::uint32_t owner_of_lock = 0xfffffffd;

/// In place of a library: the array `environ`.
inline constexpr std::uint32_t environment_array = 0xfffffffc;

/// Added to a library's number: the dynamic linker's record of the library, which dlopen() gives as a handle. The
/// target is 0.
inline constexpr std::uint32_t record_of = 0x80000000;

inline bool is_record(const OutwardWord& word) { return word.library >= record_of && word.library < environment_array; }

/// A library, or the executable, whose name is empty.
struct Library {
  std::string name;
  std::string identity;
  std::uint64_t base = 0;
};

void write(ByteWriter& writer, std::span<const Library> libraries);
/// Adds to `libraries` what was written.
void read(ByteReader& reader, std::vector<Library>& libraries);

/// Of pages that are not to be read and written.
struct Protection {
  std::uint64_t begin = 0, bytes = 0;
  int allowed = 0;  ///< PROT_READ and its like
};

/// Of a carried object, whose place differs from thread to thread.
struct ThreadData {
  std::uint32_t object = 0;  ///< of the block's list
  std::vector<std::byte> bytes;
};

/// The runtime's own block of an image: everything but the contents of the pieces.
struct Block {
  std::uint64_t passed = 0;
  std::uint32_t site = 0;
  std::uint64_t stack_end = 0;
  std::uint64_t stack_guard = 0;
  std::uint64_t stack_size = 0;
  std::uint64_t heap_extent = 0;  ///< as RegionHeap says
  std::vector<std::byte> opened;  ///< libraries that the program has opened, as process/libraries.hpp has it
  std::vector<Library> carried;
  std::vector<ThreadData> thread_data;
  std::vector<Piece> pieces;       ///< sections, names and places; thread data follows in the numbers of words
  std::vector<Library> libraries;  ///< that words lead to
  std::vector<OutwardWord> words;
  std::vector<Protection> protections;
  std::vector<std::byte> process;
  std::vector<std::byte> mpi;
};

std::vector<std::byte> write_block(const Block& block);

/// False for bytes that write_block() cannot have written. Pieces lie in places that a program's memory may have, or in
/// one of the objects that are named.
bool read_block(std::span<const std::byte> bytes, Block& block);

}  // namespace cppc::address
