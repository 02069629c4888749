#include "address/process/standard_streams.hpp"

#include <pthread.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>

#include "address/places.hpp"
#include "address/program_time.hpp"
#include "log.hpp"

namespace cppc::address::streams {

namespace {

constexpr std::array<const char*, 3> names{"stdin", "stdout", "stderr"};

// ---- Where pointers of a stream lead to ----

enum class Target : std::uint8_t { nothing, program, object, buffer };

/// What a stream's own data (FILE or Wide) and the buffer that the C library gave it are: bytes from `begin`.
struct Area {
  std::uintptr_t begin = 0;
  std::uintptr_t bytes = 0;
  [[nodiscard]] bool has(std::uintptr_t address) const { return address >= begin && address - begin <= bytes; }
};

struct Surroundings {
  Area object;
  Area given;   ///< buffer in the program's memory, or that it has given
  Area buffer;  ///< outside it
};

bool write_pointer(ByteWriter& out, const void* pointer, const Surroundings& around) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const auto target = [&]() -> std::optional<Target> {
    if (pointer == nullptr) return Target::nothing;
    if (around.object.has(address)) return Target::object;
    if (around.buffer.begin != 0 && around.buffer.has(address)) return Target::buffer;
    if (around.given.begin != 0 && around.given.has(address)) return Target::program;
    if (is_program_memory(pointer)) return Target::program;
    return {};
  }();
  if (!target) return false;
  out.u8(static_cast<std::uint8_t>(*target));
  if (*target == Target::object) return out.u64(address - around.object.begin), true;
  if (*target == Target::buffer) return out.u64(address - around.buffer.begin), true;
  out.u64(address);
  return true;
}

std::uintptr_t read_pointer(ByteReader& in, const Surroundings& around) {
  const auto target = static_cast<Target>(in.u8());
  const std::uintptr_t value = in.u64();
  const Area* area = target == Target::object ? &around.object : target == Target::buffer ? &around.buffer : nullptr;
  if (area == nullptr) return value;
  if (value > area->bytes) in.fail();
  return area->begin + value;
}

/// `own`: the C library has asked for the buffer, as opposed to the program.
Surroundings surroundings(const void* object, std::size_t object_bytes, const void* buffer, const void* end, bool own) {
  Surroundings around{{reinterpret_cast<std::uintptr_t>(object), object_bytes}, {}, {}};
  if (buffer == nullptr) return around;
  const auto begin = reinterpret_cast<std::uintptr_t>(buffer);
  (own && !is_program_memory(buffer) ? around.buffer : around.given) = {begin,
                                                                        reinterpret_cast<std::uintptr_t>(end) - begin};
  return around;
}

void write_buffer(ByteWriter& out, const Area& buffer) {
  out.block({reinterpret_cast<const std::byte*>(buffer.begin), buffer.bytes});
}

/// Of the program's heap from now on: the stream is the program's.
Area read_buffer(ByteReader& in) {
  const auto bytes = in.block();
  if (bytes.empty()) return {};
  const InsideProgram inside;
  void* buffer = std::malloc(bytes.size());
  if (buffer == nullptr) {
    in.fail();
    return {};
  }
  std::memcpy(buffer, bytes.data(), bytes.size());
  return {reinterpret_cast<std::uintptr_t>(buffer), bytes.size()};
}

std::array<char**, 11> pointers(FILE* stream) {
  return {&stream->_IO_read_ptr,  &stream->_IO_read_end,    &stream->_IO_read_base, &stream->_IO_write_base,
          &stream->_IO_write_ptr, &stream->_IO_write_end,   &stream->_IO_buf_base,  &stream->_IO_buf_end,
          &stream->_IO_save_base, &stream->_IO_backup_base, &stream->_IO_save_end};
}

// ---- One stream ----

bool write_wide(ByteWriter& out, const FILE* stream) {
  const libio::Wide& wide = *libio::wide(stream);
  const auto around =
      surroundings(&wide, sizeof wide, wide.pointers[libio::wide_buffer], wide.pointers[libio::wide_buffer_end], true);
  write_buffer(out, around.buffer);
  const bool known =
      std::ranges::all_of(wide.pointers, [&](const wchar_t* pointer) { return write_pointer(out, pointer, around); });
  out.raw(std::as_bytes(std::span(&wide.state, 1)));
  out.raw(std::as_bytes(std::span(&wide.last_state, 1)));
  out.u32(static_cast<std::uint32_t>(wide.short_buffer));
  return known;
}

/// False: with memory that is neither the program's nor a buffer.
bool write_stream(ByteWriter& out, FILE* stream) {
  const bool own = (static_cast<unsigned>(stream->_flags) & libio::user_buffer) == 0;
  const auto around = surroundings(stream, sizeof *stream, stream->_IO_buf_base, stream->_IO_buf_end, own);
  write_buffer(out, around.buffer);
  for (char** pointer : pointers(stream)) {
    if (!write_pointer(out, *pointer, around)) return false;
  }
  const libio::Lock& lock = *libio::lock(stream);
  const bool held = lock.owner == reinterpret_cast<void*>(pthread_self());
  out.u8(held);
  out.i32(held ? lock.count : 0);
  out.i32(stream->_flags);
  out.i32(stream->_fileno);
  out.i32(stream->_flags2);
  out.i64(stream->_old_offset);
  out.u32(stream->_cur_column);
  out.u8(static_cast<std::uint8_t>(stream->_shortbuf[0]));
  out.i64(stream->_offset);
  out.i32(stream->_mode);
  return stream->_mode <= 0 || write_wide(out, stream);
}

void read_state(ByteReader& in, mbstate_t& state) {
  std::array<std::byte, sizeof(mbstate_t)> bytes{};
  for (std::byte& byte : bytes) byte = std::byte{in.u8()};
  std::memcpy(&state, bytes.data(), sizeof state);
}

void read_wide(ByteReader& in, FILE* stream) {
  fwide(stream, 1);
  libio::Wide& wide = *libio::wide(stream);
  Surroundings around{{reinterpret_cast<std::uintptr_t>(&wide), sizeof wide}, {}, {}};
  around.buffer = read_buffer(in);
  for (wchar_t*& pointer : wide.pointers) pointer = reinterpret_cast<wchar_t*>(read_pointer(in, around));
  read_state(in, wide.state);
  read_state(in, wide.last_state);
  wide.short_buffer = static_cast<wchar_t>(in.u32());
}

/// The process's own output comes out before that of the program.
void clear(FILE* stream) {
  if (stream != &_IO_2_1_stdin_) std::fflush(stream);
  const bool own = (static_cast<unsigned>(stream->_flags) & libio::user_buffer) == 0;
  if (own) std::free(stream->_IO_buf_base);
  for (char** pointer : pointers(stream)) *pointer = nullptr;
}

void read_stream(ByteReader& in, FILE* stream) {
  clear(stream);
  Surroundings around{{reinterpret_cast<std::uintptr_t>(stream), sizeof *stream}, {}, {}};
  around.buffer = read_buffer(in);
  std::array<char*, 11> places{};
  for (char*& place : places) place = reinterpret_cast<char*>(read_pointer(in, around));
  const bool held = in.u8() != 0;
  const int count = in.i32();
  if (held) *libio::lock(stream) = {1, count, reinterpret_cast<void*>(pthread_self())};
  const int flags = in.i32();
  const bool listed = (static_cast<unsigned>(flags) & libio::linked) != 0;
  if (!listed) _IO_un_link(stream);
  const int number = in.i32();
  const int flags2 = in.i32() | (stream->_flags2 & libio::needs_lock);
  stream->_old_offset = in.i64();
  stream->_cur_column = static_cast<unsigned short>(in.u32());
  stream->_shortbuf[0] = static_cast<char>(in.u8());
  stream->_offset = in.i64();
  const int mode = in.i32();
  if (mode > 0) read_wide(in, stream);
  stream->_mode = mode;
  stream->_fileno = number;
  stream->_flags2 = flags2;
  stream->_flags = flags;
  const auto fields = pointers(stream);
  for (std::size_t i = 0; i < places.size(); ++i) *fields[i] = places[i];
}

// ---- The variables, which a program may set ----

std::array<FILE**, 3> variables() { return {&stdin, &stdout, &stderr}; }

bool write_variable(ByteWriter& out, FILE* value) {
  const auto all = standard_streams();
  const auto standard = std::ranges::find(all, value);
  if (standard == all.end() && value != nullptr && !is_program_memory(value)) return false;
  out.u64(standard != all.end() ? static_cast<std::uint64_t>(standard - all.begin()) + 1
                                : reinterpret_cast<std::uintptr_t>(value));
  return true;
}

FILE* read_variable(ByteReader& in) {
  const std::uint64_t value = in.u64();
  const auto all = standard_streams();
  return value >= 1 && value <= all.size() ? all[value - 1] : reinterpret_cast<FILE*>(value);
}

}  // namespace

Conversions::Conversions() {
  FILE* fresh = std::fopen("/dev/null", "r");
  if (fresh == nullptr) return;
  fwide(fresh, 1);
  in_ = libio::codec(fresh)->in.step;
  out_ = libio::codec(fresh)->out.step;
  std::fclose(fresh);  // the locale has them as well
}

bool Conversions::are_of(const FILE* stream) const {
  return libio::codec(stream)->in.step == in_ && libio::codec(stream)->out.step == out_;
}

void Conversions::give_to(FILE* stream) const {
  for (__gconv_step* step : {in_, out_}) {
    if (step != nullptr && step->__shlib_handle != nullptr) ++step->__counter;  // the stream will give it back
  }
  libio::codec(stream)->in.step = in_;
  libio::codec(stream)->out.step = out_;
}

std::array<FILE*, 3> standard_streams() { return {&_IO_2_1_stdin_, &_IO_2_1_stdout_, &_IO_2_1_stderr_}; }

cppc_status write_standard_streams(ByteWriter& out, const Conversions& conversions) {
  const auto streams = standard_streams();
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const bool converts = streams[i]->_mode <= 0 || conversions.are_of(streams[i]);
    if (converts && write_stream(out, streams[i]) && write_variable(out, *variables()[i])) continue;
    log().error(
        "{} {} and cannot be carried to another process", names[i],
        converts ? "uses memory that is not the program's" : "converts to another character set than the locale's");
    return CPPC_ERR_UNSUPPORTED;
  }
  return CPPC_OK;
}

cppc_status read_standard_streams(ByteReader& in) {
  const auto streams = standard_streams();
  for (std::size_t i = 0; i < streams.size(); ++i) {
    read_stream(in, streams[i]);
    *variables()[i] = read_variable(in);
  }
  if (in.ok()) return CPPC_OK;
  log().error("the image's standard streams are damaged");
  return CPPC_ERR_IMAGE;
}

}  // namespace cppc::address::streams
