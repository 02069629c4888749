/// Thread-local variables of libraries that the program opens while it works. The dynamic linker takes memory for those
/// of a thread when the thread first uses them; the main thread is given some of the program's memory instead, which is
/// carried and lies at the same address in another process. In glibc's words: the entry of the thread's vector (dtv)
/// for the module leads there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tl/expected.hpp>

#include "bytes.hpp"

namespace cppc::address::late_thread_data {

/// What the dynamic linker says of an object's thread-local variables.
struct Variables {
  std::uintptr_t object = 0;  ///< base address
  std::size_t module = 0;     ///< number
  std::size_t bytes = 0;
  std::size_t alignment = 1;
  bool in_use = false;  ///< by this thread, already
};

enum class Place {
  in_program,   ///< in the program's memory now
  with_thread,  ///< with those of the libraries that are loaded at the start
  elsewhere     ///< where they cannot be carried from: used by constructors, or of another thread than the main one
};

/// Outside of the program's time, in the thread that has opened the object.
Place place(const Variables& variables);

/// With the thread, after place() has said so.
std::span<std::byte> memory_of(const Variables& variables);

/// The object is not loaded any more.
void forget(std::uintptr_t object);

/// Where they are, for another process that has opened the same objects. There, when memory has come to its places:
/// `module_of` says an object's number. The error is for a message.
void write(ByteWriter& out);
tl::expected<void, std::string> put_back(ByteReader& in, std::size_t (*module_of)(std::uintptr_t object));

}  // namespace cppc::address::late_thread_data
