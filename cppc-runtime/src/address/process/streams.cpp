#include "address/process/streams.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/auxv.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include "address/places.hpp"
#include "address/process/named_file.hpp"
#include "address/process/standard_streams.hpp"
#include "address/process/stream_layout.hpp"
#include "address/program_time.hpp"
#include "log.hpp"

namespace cppc::address::streams {

namespace {

using libio::Cookie;

const void* module_of(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

const void* c_library() { return module_of(&_IO_2_1_stdout_); }

std::string label(const FILE* stream) {
  const std::string name = stream->_fileno >= 0 ? name_of(stream->_fileno) : std::string("without a descriptor");
  return fmt::format("the stream at {} (descriptor {}, {})", static_cast<const void*>(stream), stream->_fileno, name);
}

/// Why it cannot be carried.
cppc_status refuse(const FILE* stream, const char* why) {
  log().error("{} {}; close it before the rank is moved", label(stream), why);
  return CPPC_ERR_UNSUPPORTED;
}

/// Those of the program, in the order in which they are flushed at exit.
std::vector<FILE*> streams_of_program() {
  std::vector<FILE*> streams;
  _IO_list_lock();
  for (FILE* stream = _IO_list_all; stream != nullptr; stream = stream->_chain) {
    if (is_program_memory(stream)) streams.push_back(stream);
  }
  _IO_list_unlock();
  return streams;
}

bool elsewhere(const void* memory) { return memory != nullptr && !is_program_memory(memory); }

cppc_status check(const FILE* stream, const Conversions& conversions) {
  if ((stream->_flags2 & libio::mapped_file) != 0) return refuse(stream, "is read as mapped memory (mode \"m\")");
  const bool given = (static_cast<unsigned>(stream->_flags) & libio::user_buffer) != 0;
  if ((!given && elsewhere(stream->_IO_buf_base)) || elsewhere(stream->_IO_save_base)) {
    return refuse(stream, "has a buffer outside the program's memory");
  }
  if (stream->_mode <= 0) return CPPC_OK;
  if (elsewhere(libio::wide(stream)->pointers[libio::wide_buffer])) {
    return refuse(stream, "has a buffer of wide characters outside the program's memory");
  }
  if (!conversions.are_of(stream)) return refuse(stream, "converts to another character set than the locale's");
  return CPPC_OK;
}

// ---- Functions of fopencookie() and fmemopen(), which the C library keeps disguised ----

std::uintptr_t disguise() {
  std::uintptr_t number = 0;
  asm("mov %%fs:0x30, %0" : "=r"(number));
  return number;
}

std::uintptr_t disguised(std::uintptr_t function) { return std::rotl(function ^ disguise(), 0x11); }
std::uintptr_t plain(std::uintptr_t function) { return std::rotr(function, 0x11) ^ disguise(); }

cppc_status write_functions(ByteWriter& out, const FILE* stream) {
  const void* executable = module_of(reinterpret_cast<const void*>(getauxval(AT_ENTRY)));
  for (const std::uintptr_t function : reinterpret_cast<const Cookie*>(stream)->functions) {
    const auto address = plain(function);
    const void* module = address == 0 ? executable : module_of(reinterpret_cast<const void*>(address));
    if (module != executable && module != c_library()) {
      return refuse(stream, "has functions of a shared library (fopencookie)");
    }
    const bool of_library = module == c_library();
    out.u8(of_library);
    out.u64(of_library ? address - reinterpret_cast<std::uintptr_t>(module) : address);
  }
  return CPPC_OK;
}

struct Function {
  bool of_library;
  std::uintptr_t address;
};

struct Carried {
  FILE* stream;
  std::optional<std::array<Function, 4>> functions;
};

Carried read_carried(ByteReader& in) {
  Carried carried{reinterpret_cast<FILE*>(in.u64()), {}};
  if (in.u8() == 0) return carried;
  carried.functions.emplace();
  for (Function& function : *carried.functions) {
    function.of_library = in.u8() != 0;
    function.address = in.u64();
  }
  return carried;
}

// ---- In the new process ----

void set_functions(const Carried& carried) {
  auto& functions = reinterpret_cast<Cookie*>(carried.stream)->functions;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const Function& function = (*carried.functions)[i];
    const auto base = function.of_library ? reinterpret_cast<std::uintptr_t>(c_library()) : 0;
    functions[i] = disguised(base + function.address);
  }
}

/// What the thread that goes on has locked by flockfile() stays locked by it.
void set_lock(FILE* stream, const void* old_thread) {
  libio::Lock& lock = *libio::lock(stream);
  const bool held = lock.owner != nullptr && lock.owner == old_thread;
  lock = held ? libio::Lock{1, lock.count, reinterpret_cast<void*>(pthread_self())} : libio::Lock{};
}

cppc_status link(const Carried& carried, const void* old_thread) {
  FILE* stream = carried.stream;
  if (!is_program_memory(stream) || !is_program_memory(stream->_lock)) {
    log().error("the image has a stream at {}, where none is", static_cast<const void*>(stream));
    return CPPC_ERR_IMAGE;
  }
  if (module_of(libio::vtable(stream)) != c_library()) {
    log().error("the image has a stream at {} of another C library", static_cast<const void*>(stream));
    return CPPC_ERR_MISMATCH;
  }
  if (carried.functions) set_functions(carried);
  if (stream->_mode > 0) Conversions().give_to(stream);
  set_lock(stream, old_thread);
  stream->_flags2 |= _IO_2_1_stdout_._flags2 & libio::needs_lock;
  stream->_flags &= ~static_cast<int>(libio::linked);
  stream->_chain = nullptr;
  _IO_link_in(stream);
  return CPPC_OK;
}

void drop_unwritten(FILE* stream) {
  stream->_IO_write_ptr = stream->_IO_write_base;
  if (stream->_mode <= 0) return;
  auto& pointers = libio::wide(stream)->pointers;
  pointers[libio::wide_write_pointer] = pointers[libio::wide_write_base];
}

}  // namespace

cppc_status write(ByteWriter& out) {
  const Conversions conversions;
  const auto streams = streams_of_program();
  out.u64(pthread_self());
  out.u64(streams.size());
  for (const FILE* stream : streams) {
    if (const cppc_status status = check(stream, conversions); status != CPPC_OK) return status;
    const bool has_functions = stream->_fileno == libio::cookie_number;
    out.u64(reinterpret_cast<std::uintptr_t>(stream));
    out.u8(has_functions);
    if (!has_functions) continue;
    if (const cppc_status status = write_functions(out, stream); status != CPPC_OK) return status;
  }
  return write_standard_streams(out, conversions);
}

cppc_status link_again(ByteReader& in) {
  const auto* old_thread = reinterpret_cast<const void*>(in.u64());
  std::vector<Carried> carried(in.count(9));
  for (Carried& one : carried) one = read_carried(in);
  if (!in.ok()) {
    log().error("the image's streams are damaged");
    return CPPC_ERR_IMAGE;
  }
  for (const Carried& one : std::views::reverse(carried)) {  // each comes before those that are there
    if (const cppc_status status = link(one, old_thread); status != CPPC_OK) return status;
  }
  return read_standard_streams(in);
}

bool is_link(const void* word) {
  for (FILE* stream = _IO_list_all; stream != nullptr; stream = stream->_chain)
    if (word == &stream->_chain) return true;
  return false;
}

void forget() {
  for (FILE* stream : streams_of_program()) drop_unwritten(stream);
  for (FILE* stream : standard_streams()) drop_unwritten(stream);
}

}  // namespace cppc::address::streams
