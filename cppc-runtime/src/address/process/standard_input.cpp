#include "address/process/standard_input.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "address/process/named_file.hpp"
#include "address/program_time.hpp"
#include "log.hpp"

namespace cppc::address::standard_input {

namespace {

enum class Form : std::uint8_t {
  own,   ///< the new process's
  file,  ///< at a place in it
  rest   ///< of a pipe: these bytes, and then its end
};

constinit std::atomic<bool> read_from{false};

/// The number alone: 0 may be something else by now, which then is looked at in vain.
bool was_used() {
  constexpr int end_seen = 0x10;  // _IO_EOF_SEEN
  const FILE* stream = stdin;
  const bool by_stream = stream != nullptr && stream->_fileno == STDIN_FILENO &&
                         (stream->_IO_read_end != nullptr || (stream->_flags & end_seen) != 0);
  return by_stream || read_from.load(std::memory_order_relaxed);
}

cppc_status failed(const char* what) {
  log().error("standard input cannot be {}: {}", what, std::strerror(errno));
  return CPPC_ERR_SYSTEM;
}

struct Pipe {
  UniqueFd out, in;

  /// With room for as much as `bytes`.
  static std::optional<Pipe> make(int bytes) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
    Pipe made{UniqueFd(ends[0]), UniqueFd(ends[1])};
    if (fcntl(ends[1], F_GETPIPE_SZ) < bytes && fcntl(ends[1], F_SETPIPE_SZ, bytes) < 0) return {};
    return made;
  }
};

/// All that is in a pipe that nobody writes to any more, and stays in it.
std::optional<std::vector<std::byte>> copy_of_rest(int number, int capacity) {
  auto copy = Pipe::make(capacity);
  if (!copy || fcntl(copy->out.get(), F_SETFL, O_NONBLOCK) != 0) return {};
  if (tee(number, copy->in.get(), INT_MAX, SPLICE_F_NONBLOCK) < 0) return {};
  std::vector<std::byte> rest(static_cast<std::size_t>(capacity) + 1);
  std::size_t bytes = 0;
  while (bytes < rest.size()) {
    const ssize_t got = read(copy->out.get(), rest.data() + bytes, rest.size() - bytes);
    if (got < 0 && errno == EAGAIN) break;
    if (got < 0) return {};
    bytes += static_cast<std::size_t>(got);
  }
  rest.resize(bytes);
  return rest;
}

void write_own(ByteWriter& out) { out.u8(static_cast<std::uint8_t>(Form::own)); }

cppc_status write_file(ByteWriter& out, int number, const NamedFile& file) {
  const int flags = fcntl(number, F_GETFL);
  const off_t offset = lseek(number, 0, SEEK_CUR);
  out.u8(static_cast<std::uint8_t>(Form::file));
  out.text(file.path);
  out.u64(file.inode);
  out.i32(flags);
  out.i64(offset > 0 ? offset : 0);
  return flags < 0 ? failed("looked at") : CPPC_OK;
}

cppc_status write_rest(ByteWriter& out, int number) {
  pollfd state{number, POLLIN, 0};
  const bool pipe = poll(&state, 1, 0) >= 0 && fcntl(number, F_GETPIPE_SZ) > 0;
  if (pipe && (state.revents & POLLHUP) != 0) {
    const int capacity = fcntl(number, F_GETPIPE_SZ);
    const auto rest = copy_of_rest(number, capacity);
    if (!rest) return failed("copied");
    out.u8(static_cast<std::uint8_t>(Form::rest));
    out.i32(capacity);
    out.i32(fcntl(number, F_GETFL) & O_NONBLOCK);
    out.block(*rest);
    return CPPC_OK;
  }
  if (!was_used()) {
    write_own(out);
    return CPPC_OK;
  }
  log().error(
      "standard input ({}), of which the program has read, has not come to its end, and what is to come cannot "
      "be led to another process; let the program read a file by its name, or end the input",
      name_of(number));
  return CPPC_ERR_UNSUPPORTED;
}

/// On descriptor 0; fails as dup2() does.
cppc_status put(const UniqueFd& from) { return dup2(from.get(), STDIN_FILENO) < 0 ? failed("put in place") : CPPC_OK; }

cppc_status open_file(ByteReader& in) {
  NamedFile file;
  file.path = in.text();
  file.inode = in.u64();
  const int flags = in.i32();
  const std::int64_t offset = in.i64();
  if (!in.ok()) return CPPC_OK;  // as the caller will see
  file.bytes = file.inode != 0 ? static_cast<std::uint64_t>(offset) : 0;
  const auto opened = open_named(file, flags & ~(O_CREAT | O_EXCL | O_TRUNC), "standard input");
  if (!opened) return opened.error();
  if (offset > 0 && lseek(opened->get(), offset, SEEK_SET) < 0) return failed("set to its place");
  return put(*opened);
}

cppc_status open_rest(ByteReader& in) {
  const int capacity = in.i32();
  const int flags = in.i32();
  const auto rest = in.block();
  if (!in.ok()) return CPPC_OK;  // as the caller will see
  auto pipe = Pipe::make(capacity);
  if (!pipe || fcntl(pipe->in.get(), F_SETFL, O_NONBLOCK) != 0) return failed("made anew");
  const ssize_t written = rest.empty() ? 0 : ::write(pipe->in.get(), rest.data(), rest.size());
  if (written != std::ssize(rest)) return failed("made anew");
  if (flags != 0 && fcntl(pipe->out.get(), F_SETFL, flags) != 0) return failed("made anew");
  return put(pipe->out);
}

}  // namespace

void was_read(int number) {
  if (number == STDIN_FILENO && program_time) read_from.store(true, std::memory_order_relaxed);
}

cppc_status write(ByteWriter& out, int number) {
  struct stat state {};
  if (number < 0) {
    write_own(out);
    return CPPC_OK;
  }
  if (fstat(number, &state) != 0) return failed("looked at");
  if (S_ISFIFO(state.st_mode)) return write_rest(out, number);
  const auto file = find_again(name_of(number), state);
  if (file && (S_ISREG(state.st_mode) || state.st_rdev == makedev(1, 3))) return write_file(out, number, *file);
  return write_rest(out, number);
}

cppc_status open_again(ByteReader& in) {
  switch (static_cast<Form>(in.u8())) {
    case Form::own:
      return CPPC_OK;
    case Form::file:
      return open_file(in);
    case Form::rest:
      return open_rest(in);
  }
  in.fail();
  return CPPC_OK;
}

}  // namespace cppc::address::standard_input
