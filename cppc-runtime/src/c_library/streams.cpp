#include "c_library/streams.hpp"

#include <fcntl.h>
#include <stdio_ext.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string_view>
#include <system_error>
#include <unordered_set>

#include "c_library/fortran_units.hpp"
#include "cppc/cppc.h"
#include "grown_file.hpp"
#include "log.hpp"
#include "never_destroyed.hpp"
#include "own_handles.hpp"

namespace cppc::c_library {

namespace {

struct Stream {
  std::string path;
  std::string mode;
  const char* maker;  ///< the function that cannot be repeated; null: fopen() or freopen()
};

/// The program's streams, but for the standard ones that it has left as they were.
struct Streams {
  std::mutex mutex;
  OwnHandles<FILE*, Stream> open;
  std::unordered_set<FILE*> closed;  ///< and at none of these addresses is one open
};

Streams& streams() {
  static NeverDestroyed<Streams> instance;
  return *instance;
}

enum : std::uint64_t { null, first_standard, last_standard = 3, closed };

std::array<FILE*, 3> standard_streams() { return {stdin, stdout, stderr}; }

/// 0: none of these.
std::uint64_t standard_number(FILE* stream) {
  std::uint64_t number = first_standard;
  for (FILE* const standard : standard_streams()) {
    if (stream == standard) return number;
    ++number;
  }
  return 0;
}

FILE* remember(FILE* stream, Stream description) noexcept try {
  if (stream == nullptr) return nullptr;
  const std::scoped_lock lock(streams().mutex);
  streams().open.remove(stream);
  streams().closed.erase(stream);
  streams().open.add(stream, std::move(description));
  return stream;
} catch (const std::bad_alloc&) {
  die(CPPC_ERR_MEMORY, "no memory to remember a stream");
}

void forget(FILE* stream) noexcept try {
  const std::scoped_lock lock(streams().mutex);
  streams().open.remove(stream);
  streams().closed.insert(stream);
} catch (const std::bad_alloc&) {
  die(CPPC_ERR_MEMORY, "no memory to remember that a stream is closed");
}

std::optional<Stream> file(const char* path, const char* mode) noexcept try {
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error);
  const bool translated = std::string_view(mode).find("ccs=") != std::string_view::npos;
  return Stream{
      .path = error ? path : absolute.string(), .mode = mode, .maker = translated ? "fopen(..., \"ccs=\")" : nullptr};
} catch (const std::bad_alloc&) {
  die(CPPC_ERR_MEMORY, "no memory to remember a stream");
}

/// What `stream` is after freopen(NULL, mode, stream); nothing for a standard stream that is as it was.
std::optional<Stream> in_mode(FILE* stream, const char* mode) noexcept try {
  const std::scoped_lock lock(streams().mutex);
  const Stream* const opened = streams().open.find(stream);
  if (opened == nullptr) return std::nullopt;
  return Stream{.path = opened->path, .mode = mode, .maker = opened->maker};
} catch (const std::bad_alloc&) {
  die(CPPC_ERR_MEMORY, "no memory to remember a stream");
}

Buffering buffering_of(FILE* stream) {
  if (__flbf(stream) != 0) return Buffering::line;
  return __fbufsize(stream) == 1 ? Buffering::none : Buffering::full;  // 0: nothing has been read or written yet
}

tl::unexpected<cppc_status> refused(std::string_view path, std::string_view why) {
  log().error("the open file {} {}", path, why);
  return tl::unexpected(CPPC_ERR_UNSUPPORTED);
}

std::string reason() { return std::error_code(errno, std::generic_category()).message(); }

bool writable(const std::string& mode) { return mode.find_first_of("wa+") != std::string::npos; }

/// Another process that opens the path has to find what has been written to the stream.
tl::expected<StreamRecipe, cppc_status> describe(std::uint64_t number, FILE* stream, const Stream& opened) {
  struct stat there {
  }, here{};
  if (writable(opened.mode) && std::fflush(stream) != 0) return refused(opened.path, "cannot be written: " + reason());
  if (fstat(fileno(stream), &here) != 0 || stat(opened.path.c_str(), &there) != 0 || here.st_dev != there.st_dev ||
      here.st_ino != there.st_ino) {
    return refused(opened.path, "has been removed or replaced since it was opened, so it cannot be opened again");
  }
  const off_t position = ftello(stream);
  if (position < 0) return refused(opened.path, "has no position, so it cannot be opened again where it was");
  const bool regular = S_ISREG(here.st_mode);
  if (regular && writable(opened.mode) && fsync(fileno(stream)) != 0) {
    return refused(opened.path, "cannot be written: " + reason());
  }
  return StreamRecipe{.number = number,
                      .path = opened.path,
                      .mode = opened.mode,
                      .position = position,
                      .size = regular ? here.st_size : 0,
                      .buffering = buffering_of(stream),
                      .at_end = std::feof(stream) != 0};
}

/// The standard input that the process was started with, when it is the same everywhere: nothing, a file, or what has
/// come to its end. Else it is the new process's; CPPC_ERR_UNSUPPORTED, logged, when the program has read from it.
tl::expected<StreamRecipe, cppc_status> describe_input() {
  StreamRecipe recipe{.number = first_standard, .path = {}, .mode = {}, .buffering = buffering_of(stdin)};
  struct stat state {};
  if (fstat(STDIN_FILENO, &state) != 0) return recipe;
  if (S_ISREG(state.st_mode) || (S_ISCHR(state.st_mode) && state.st_rdev == makedev(1, 3))) {
    std::error_code error;
    const auto path = std::filesystem::read_symlink("/proc/self/fd/0", error);
    if (error) return refused("standard input", "cannot be found: " + error.message());
    return describe(first_standard, stdin, {.path = path, .mode = "r", .maker = nullptr});
  }
  if (std::feof(stdin) != 0) {
    recipe.path = "/dev/null";
    recipe.mode = "r";
    recipe.at_end = true;
  } else if (__fbufsize(stdin) != 0) {
    return refused("standard input", "has been read from and has not come to its end, so it cannot be led elsewhere");
  }
  return recipe;
}

/// Standard streams first.
tl::expected<std::vector<StreamRecipe>, cppc_status> present() {
  std::vector<StreamRecipe> recipes;
  for (FILE* const stream : standard_streams()) {
    if (stream != stdin) std::fflush(stream);  // the program would not learn of an error either
    const std::uint64_t number = standard_number(stream);
    if (const Stream* const opened = streams().open.find(stream)) {
      auto recipe = describe(number, stream, *opened);
      if (!recipe) return tl::unexpected(recipe.error());
      recipes.push_back(std::move(*recipe));
    } else if (stream == stdin) {
      auto recipe = describe_input();
      if (!recipe) return tl::unexpected(recipe.error());
      recipes.push_back(std::move(*recipe));
    } else {
      recipes.push_back({.number = number, .path = {}, .mode = {}, .buffering = buffering_of(stream)});
    }
  }
  for (const auto& [number, entry] : streams().open.entries()) {
    if (entry.info.maker != nullptr || standard_number(entry.handle) != 0) continue;
    auto recipe = describe(number, entry.handle, entry.info);
    if (!recipe) return tl::unexpected(recipe.error());
    recipes.push_back(std::move(*recipe));
  }
  return recipes;
}

/// Never creates or truncates.
int open_flags(const std::string& mode) {
  const bool both = mode.find('+') != std::string::npos;
  const int access = both ? O_RDWR : mode.front() == 'r' ? O_RDONLY : O_WRONLY;
  return access | (mode.front() == 'a' ? O_APPEND : 0) | (mode.find('e') != std::string::npos ? O_CLOEXEC : 0);
}

struct Close {
  void operator()(FILE* stream) const { std::fclose(stream); }
};
using OpenFile = std::unique_ptr<FILE, Close>;

tl::expected<OpenFile, cppc_status> open_again(const StreamRecipe& recipe) {
  const int descriptor = open(recipe.path.c_str(), open_flags(recipe.mode));
  if (descriptor < 0) return refused(recipe.path, "of the program cannot be opened on this node: " + reason());
  OpenFile file(fdopen(descriptor, recipe.mode.c_str()));
  if (file == nullptr) {
    close(descriptor);
    return refused(recipe.path, "of the program cannot be opened on this node: " + reason());
  }
  struct stat here {};
  if (fstat(descriptor, &here) != 0 || (S_ISREG(here.st_mode) && here.st_size < recipe.size)) {
    return refused(recipe.path, "is another file on this node, shorter than the one that the program has opened");
  }
  if (S_ISREG(here.st_mode) && writable(recipe.mode))
    if (const cppc_status status = cut_to_image(descriptor, recipe.size, recipe.path); status != CPPC_OK)
      return tl::unexpected(status);
  return file;
}

/// `stream` goes on where the one of the recipe was.
tl::expected<void, cppc_status> resume(FILE* stream, const StreamRecipe& recipe) {
  if (recipe.buffering != Buffering::full) {
    std::setvbuf(stream, nullptr, recipe.buffering == Buffering::line ? _IOLBF : _IONBF, 0);
  }
  if (recipe.path.empty()) return {};
  if (fseeko(stream, recipe.position, SEEK_SET) != 0) return refused(recipe.path, "cannot be positioned: " + reason());
  if (recipe.at_end && std::fgetc(stream) != EOF) fseeko(stream, recipe.position, SEEK_SET);  // it has grown
  return {};
}

tl::expected<void, cppc_status> resume_standard(const StreamRecipe& recipe) {
  FILE* const stream = standard_streams()[recipe.number - first_standard];
  if (recipe.path.empty()) return resume(stream, recipe);
  const auto opened = open_again(recipe);
  if (!opened) return tl::unexpected(opened.error());
  if (dup2(fileno(opened->get()), fileno(stream)) < 0) return refused(recipe.path, "cannot be opened: " + reason());
  remember(stream, {.path = recipe.path, .mode = recipe.mode, .maker = nullptr});
  return resume(stream, recipe);
}

tl::expected<void, cppc_status> resume_file(const StreamRecipe& recipe) {
  auto opened = open_again(recipe);
  if (!opened) return tl::unexpected(opened.error());
  if (const auto resumed = resume(opened->get(), recipe); !resumed) return resumed;
  const std::scoped_lock lock(streams().mutex);
  FILE* const stream = opened->release();
  streams().closed.erase(stream);
  streams().open.put(recipe.number, stream, {.path = recipe.path, .mode = recipe.mode, .maker = nullptr});
  return {};
}

bool sound(const StreamRecipe& recipe, std::uint64_t number_before) {
  const bool standard = recipe.number >= first_standard && recipe.number <= last_standard;
  const bool has_file = !recipe.path.empty();
  return recipe.number > number_before && (standard || recipe.number >= first_own_handle) && (standard || has_file) &&
         has_file == !recipe.mode.empty() && recipe.position >= 0 && recipe.buffering <= Buffering::none &&
         recipe.path.find('\0') == std::string::npos && recipe.mode.find('\0') == std::string::npos;
}

}  // namespace

tl::expected<std::uint64_t, std::string> encode(FILE* stream) {
  if (stream == nullptr) return null;
  if (const std::uint64_t standard = standard_number(stream)) return standard;
  const std::scoped_lock lock(streams().mutex);
  if (const Stream* const opened = streams().open.find(stream)) {
    if (opened->maker == nullptr) return *streams().open.number_of(stream);
    return tl::unexpected("holds a stream of " + std::string(opened->maker) +
                          ", which cannot be carried over: close it before the safe point");
  }
  if (streams().closed.contains(stream)) return closed;
  return tl::unexpected(
      std::string("holds a stream that was not opened by fopen(), so it cannot be carried over: close it before the "
                  "safe point, and set the pointer to NULL"));
}

tl::expected<FILE*, std::string> decode(std::uint64_t stored) {
  if (stored == null || stored == closed) return nullptr;
  if (stored <= last_standard) return standard_streams()[stored - first_standard];
  const std::scoped_lock lock(streams().mutex);
  const auto stream = streams().open.at(stored);
  if (!stream) return tl::unexpected(std::string("has a number that stands for no stream"));
  return *stream;
}

bool is_stream(int descriptor) {
  const std::scoped_lock lock(streams().mutex);
  return std::ranges::any_of(streams().open.entries(),
                             [descriptor](const auto& one) { return fileno(one.second.handle) == descriptor; });
}

cppc_status write_streams(ByteWriter& writer) {
  if (const auto unit = open_fortran_unit()) {
    log().error("unit {} of Fortran is open, which cannot be carried over: close it before the rank moves", *unit);
    return CPPC_ERR_UNSUPPORTED;
  }
  const std::scoped_lock lock(streams().mutex);
  const auto recipes = present();
  if (!recipes) return recipes.error();
  writer.u64(recipes->size());
  for (const StreamRecipe& recipe : *recipes) {
    writer.u64(recipe.number);
    writer.text(recipe.path);
    writer.text(recipe.mode);
    writer.i64(recipe.position);
    writer.i64(recipe.size);
    writer.u8(static_cast<std::uint8_t>(recipe.buffering));
    writer.u8(recipe.at_end);
  }
  return CPPC_OK;
}

std::vector<StreamRecipe> read_streams(ByteReader& reader) {
  std::vector<StreamRecipe> recipes;
  const std::uint64_t count = reader.count(sizeof(std::uint64_t));
  std::uint64_t before = 0;
  for (std::uint64_t i = 0; i < count && reader.ok(); ++i) {
    StreamRecipe recipe{.number = reader.u64(), .path = std::string(reader.text()), .mode = std::string(reader.text())};
    recipe.position = reader.i64();
    recipe.size = reader.i64();
    recipe.buffering = static_cast<Buffering>(reader.u8());
    recipe.at_end = reader.u8() != 0;
    if (!sound(recipe, before)) reader.fail();
    before = recipe.number;
    recipes.push_back(std::move(recipe));
  }
  return recipes;
}

cppc_status reopen(const std::vector<StreamRecipe>& recipes) {
  if (!recipes.empty()) {
    const std::scoped_lock lock(streams().mutex);
    streams().open.reserve(recipes.back().number + 1);
  }
  for (const StreamRecipe& recipe : recipes) {
    const auto resumed = recipe.number <= last_standard ? resume_standard(recipe) : resume_file(recipe);
    if (!resumed) return resumed.error();
  }
  return CPPC_OK;
}

}  // namespace cppc::c_library

using namespace cppc::c_library;

FILE* cppc_fopen(const char* path, const char* mode) {
  FILE* const stream = std::fopen(path, mode);
  return stream != nullptr ? remember(stream, *file(path, mode)) : nullptr;
}

FILE* cppc_freopen(const char* path, const char* mode, FILE* stream) {
  const auto after = path != nullptr ? file(path, mode) : in_mode(stream, mode);
  forget(stream);
  FILE* const opened = std::freopen(path, mode, stream);
  return opened != nullptr && after ? remember(opened, *after) : opened;
}

int cppc_fclose(FILE* stream) {
  forget(stream);
  return std::fclose(stream);
}

int cppc_pclose(FILE* stream) {
  forget(stream);
  return pclose(stream);
}

FILE* cppc_stream(FILE* stream, const char* function) {
  return remember(stream, {.path = {}, .mode = {}, .maker = function});
}
