#include "address/process/mappings.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "address/places.hpp"
#include "address/process/mapping_places.hpp"
#include "address/process/named_file.hpp"
#include "log.hpp"
#include "memory_map.hpp"
#include "never_destroyed.hpp"
#include "pages.hpp"

namespace cppc::address::mappings {

namespace {

constexpr std::size_t kPage = 4096;

struct Mapping : MemoryMap::Range {
  [[nodiscard]] std::span<std::byte> memory() const { return {reinterpret_cast<std::byte*>(begin), end - begin}; }
  [[nodiscard]] bool of_file() const { return !name.empty(); }
  [[nodiscard]] bool is_bytes() const { return !shared || !of_file(); }
  [[nodiscard]] bool readable() const { return (protection & PROT_READ) != 0; }
};

std::string label(const Mapping& mapping) {
  return fmt::format("memory at {:#x} ({})", mapping.begin, mapping.of_file() ? mapping.name : "of no file");
}

/// That nothing is mapped there, asked of the system in one call: to read its list takes a millisecond, in which the
/// job stands still. False as well when the system does not say.
bool nothing_is_mapped() {
  auto* const begin = reinterpret_cast<void*>(kMappings);
  constexpr int reserve_free_memory = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  void* const got = mmap(begin, kEnd - kMappings, PROT_NONE, reserve_free_memory, -1, 0);
  if (got == MAP_FAILED) return false;
  munmap(got, kEnd - kMappings);
  return got == begin;
}

tl::expected<std::vector<Mapping>, cppc_status> mappings_of_program() {
  if (nothing_is_mapped()) return std::vector<Mapping>{};
  const auto memory = MemoryMap::read();
  if (!memory) return tl::unexpected(memory.error());
  std::vector<Mapping> mappings;
  for (const MemoryMap::Range& range : memory->ranges()) {
    if (range.begin < kMappings || range.begin >= kEnd) continue;
    mappings.push_back({range});
    // What the system calls anonymous memory that is shared, or has been given a name.
    std::string& name = mappings.back().name;
    if (name.starts_with("/dev/zero") || name.starts_with('[')) name.clear();
  }
  return mappings;
}

cppc_status refuse(const std::string& what, const std::string& why) {
  log().error("{} is {}, which cannot be carried to another process; unmap it before the rank is moved", what, why);
  return CPPC_ERR_UNSUPPORTED;
}

cppc_status check_outside() {
  std::vector<const void*> places;
  if (!mapping_places::outside(places)) {
    return refuse("memory by mmap()", "put at more places of the program's choice than are kept account of");
  }
  if (places.empty()) return CPPC_OK;
  const auto memory = MemoryMap::read();
  if (!memory) return memory.error();
  for (const void* place : places) {
    if (memory->find(place) == nullptr) continue;
    return refuse(fmt::format("memory at {}", place), "of huge pages or at a place of the program's choice");
  }
  return CPPC_OK;
}

// ---- Which pages are in use ----

/// /proc/self/mem: reads what is protected against it, and fails where an access would be a fault.
class Memory {
 public:
  Memory() : file_(open("/proc/self/mem", O_RDONLY | O_CLOEXEC)) {}
  [[nodiscard]] bool read(std::uintptr_t from, std::span<std::byte> to) const {
    while (!to.empty()) {  // one call gives 2 GiB at most
      const ssize_t got = pread(file_.get(), to.data(), to.size(), static_cast<off_t>(from));
      if (got < 0 && errno == EINTR) continue;
      if (got == 0) errno = EIO;
      if (got <= 0) return false;
      from += static_cast<std::uintptr_t>(got);
      to = to.subspan(static_cast<std::size_t>(got));
    }
    return true;
  }

 private:
  UniqueFd file_;
};

/// What lies before the end of the file.
std::uintptr_t end_of_file_pages(const Mapping& mapping, const Memory& memory) {
  std::array<std::byte, 1> byte{};
  std::uintptr_t low = 0;
  std::uintptr_t high = (mapping.end - mapping.begin) / kPage;
  while (low < high) {
    const std::uintptr_t middle = low + (high - low) / 2;
    if (memory.read(mapping.begin + middle * kPage, byte)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return mapping.begin + low * kPage;
}

/// Runs of pages whose bytes have to be copied.
std::vector<std::span<std::byte>> runs_in_use(const Mapping& mapping, const Memory& memory) {
  if (mapping.of_file()) {
    const std::uintptr_t end = end_of_file_pages(mapping, memory);
    if (end == mapping.begin) return {};
    return {{reinterpret_cast<std::byte*>(mapping.begin), end - mapping.begin}};
  }
  if (mapping.shared && mapping.readable()) return {mapping.memory()};  // a child may have touched the other pages
  std::vector<std::span<std::byte>> runs;
  std::uintptr_t begin = mapping.begin;
  const auto end_run = [&](std::uintptr_t end) {
    if (end > begin) runs.emplace_back(reinterpret_cast<std::byte*>(begin), end - begin);
  };
  visit_untouched(mapping.memory(), kPage, [&](std::span<std::byte> untouched) {
    const auto from = reinterpret_cast<std::uintptr_t>(untouched.data());
    end_run(from);
    begin = from + untouched.size();
    return true;
  });
  end_run(mapping.end);
  return runs;
}

// ---- Writing ----

/// A deleted file does no harm: what it has to say goes along.
cppc_status check_private(const Mapping& mapping) {
  struct stat state {};
  if (!mapping.of_file() || stat(mapping.name.c_str(), &state) != 0 || S_ISREG(state.st_mode)) return CPPC_OK;
  return refuse(label(mapping), "memory of a device");
}

cppc_status write_file(ByteWriter& out, const Mapping& mapping) {
  struct stat state {};
  if (mapping.name.ends_with(" (deleted)") || stat(mapping.name.c_str(), &state) != 0) {
    return refuse(label(mapping), "shared memory of a deleted file");
  }
  if (!S_ISREG(state.st_mode)) return refuse(label(mapping), "shared memory of a device");
  const auto file = find_again(mapping.name, state);
  if (!file) return refuse(label(mapping), "shared memory of " + file.error());
  const bool written = (mapping.protection & PROT_WRITE) != 0;
  if (written && msync(mapping.memory().data(), mapping.memory().size(), MS_SYNC) != 0) {
    log().error("{} cannot be written to its file: {}", label(mapping), std::strerror(errno));
    return CPPC_ERR_SYSTEM;
  }
  out.text(file->path);
  out.u64(file->inode);
  out.u64(file->bytes);
  out.u64(mapping.offset);
  return CPPC_OK;
}

cppc_status write_unreadable(ByteWriter& out, const Mapping& mapping, const Memory& memory) {
  if (const cppc_status status = check_private(mapping); status != CPPC_OK) return status;
  const auto runs = mapping.readable() ? std::vector<std::span<std::byte>>{} : runs_in_use(mapping, memory);
  out.u64(runs.size());
  std::vector<std::byte> copy;
  for (const auto& run : runs) {
    copy.resize(run.size());
    const auto address = reinterpret_cast<std::uintptr_t>(run.data());
    if (!memory.read(address, copy)) {
      log().error("{} cannot be read: {}", label(mapping), std::strerror(errno));
      return CPPC_ERR_SYSTEM;
    }
    out.u64(address);
    out.block(copy);
  }
  return CPPC_OK;
}

// ---- In the new process ----

struct Made {
  std::span<std::byte> memory;
  int protection;
};

/// By map_again().
std::vector<Made>& made() {
  static NeverDestroyed<std::vector<Made>> all;
  return *all;
}

cppc_status place(const Mapping& mapping, int protection, int flags, int file) {
  const auto memory = mapping.memory();
  void* const got = mmap(memory.data(), memory.size(), protection, flags | MAP_FIXED_NOREPLACE, file,
                         static_cast<off_t>(mapping.offset));
  if (got == memory.data()) return CPPC_OK;
  const int error = errno;
  log().error("no {}, {} bytes: {}", label(mapping), memory.size(), std::strerror(error));
  return error == EEXIST ? CPPC_ERR_STATE : CPPC_ERR_MEMORY;
}

cppc_status map_file(ByteReader& in, Mapping& mapping) {
  NamedFile file;
  file.path = in.text();
  file.inode = in.u64();
  file.bytes = in.u64();
  mapping.offset = in.u64();
  mapping.name = file.path;
  if (!in.ok()) return CPPC_OK;  // as the caller will see
  // Memory that is only read now may have been, and may be, written to, if the file may.
  const bool writable = (mapping.protection & PROT_WRITE) != 0 || access(file.path.c_str(), W_OK) == 0;
  const auto opened = open_named(file, writable ? O_RDWR : O_RDONLY, label(mapping));
  if (!opened) return opened.error();
  return place(mapping, mapping.protection, MAP_SHARED, opened->get());
}

cppc_status map_bytes(ByteReader& in, const Mapping& mapping) {
  const int flags = MAP_ANONYMOUS | MAP_NORESERVE | (mapping.shared ? MAP_SHARED : MAP_PRIVATE);
  if (const cppc_status status = place(mapping, PROT_READ | PROT_WRITE, flags, -1); status != CPPC_OK) return status;
  for (std::uint64_t runs = in.count(16); runs > 0; --runs) {
    const std::uint64_t address = in.u64();
    const auto bytes = in.block();
    const auto room = mapping.memory().size();
    if (address < mapping.begin || address - mapping.begin > room || bytes.size() > room - (address - mapping.begin)) {
      in.fail();
      return CPPC_OK;  // as the caller will see
    }
    std::ranges::copy(bytes, reinterpret_cast<std::byte*>(address));
  }
  return CPPC_OK;
}

cppc_status map_one(ByteReader& in) {
  Mapping mapping{};
  mapping.begin = in.u64();
  mapping.end = in.u64();
  mapping.protection = in.i32();
  mapping.shared = in.u8() != 0;
  const bool bytes = in.u8() != 0;
  const bool sound = mapping.begin >= kMappings && mapping.begin < mapping.end && mapping.end <= kEnd;
  if (!sound) in.fail();
  if (!in.ok()) return CPPC_OK;  // as the caller will see
  const cppc_status status = bytes ? map_bytes(in, mapping) : map_file(in, mapping);
  if (status == CPPC_OK) made().push_back({mapping.memory(), mapping.protection});
  if (status == CPPC_OK && mapping.end <= kBreak) mapping_places::start_at(mapping.end);
  return status;
}

}  // namespace

cppc_status write(ByteWriter& out) {
  if (const cppc_status status = check_outside(); status != CPPC_OK) return status;
  const auto mappings = mappings_of_program();
  if (!mappings) return mappings.error();
  const Memory memory;
  out.u64(mappings->size());
  for (const Mapping& mapping : *mappings) {
    out.u64(mapping.begin);
    out.u64(mapping.end);
    out.i32(mapping.protection);
    out.u8(mapping.shared);
    out.u8(mapping.is_bytes());
    const cppc_status status = mapping.is_bytes() ? write_unreadable(out, mapping, memory) : write_file(out, mapping);
    if (status != CPPC_OK) return status;
  }
  return CPPC_OK;
}

cppc_status visit(const std::function<void(std::span<std::byte>)>& show) {
  const auto mappings = mappings_of_program();
  if (!mappings) return mappings.error();
  const Memory memory;
  for (const Mapping& mapping : *mappings) {
    if (!mapping.is_bytes() || !mapping.readable()) continue;
    for (const auto& run : runs_in_use(mapping, memory)) show(run);
  }
  return CPPC_OK;
}

cppc_status map_again(ByteReader& in) {
  made().clear();
  munmap(reinterpret_cast<void*>(kMappings), kEnd - kMappings);  // what constructors of libraries have had there
  for (std::uint64_t mappings = in.count(22); mappings > 0; --mappings) {
    if (const cppc_status status = map_one(in); status != CPPC_OK) return status;
  }
  if (in.ok()) return CPPC_OK;
  log().error("the image's memory mappings are damaged");
  return CPPC_ERR_IMAGE;
}

cppc_status protect_again() {
  for (const auto& [memory, protection] : made()) {
    if (mprotect(memory.data(), memory.size(), protection) == 0) continue;
    log().error("memory at {} cannot be protected: {}", static_cast<void*>(memory.data()), std::strerror(errno));
    return CPPC_ERR_SYSTEM;
  }
  return CPPC_OK;
}

}  // namespace cppc::address::mappings
