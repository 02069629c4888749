#include "cppc/program_id.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <spdlog/spdlog.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "cppc/unique_fd.hpp"

namespace cppc::migration {
namespace {

using Bytes = std::span<const std::byte>;

class MappedProgram {
 public:
  static std::optional<MappedProgram> open(const std::filesystem::path& program) {
    const UniqueFd file(::open(program.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return std::nullopt;
    struct stat status {};
    void* start = MAP_FAILED;
    if (fstat(file.get(), &status) == 0 && status.st_size > 0)
      start = mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (start == MAP_FAILED) return std::nullopt;
    return MappedProgram({static_cast<const std::byte*>(start), static_cast<std::size_t>(status.st_size)});
  }
  MappedProgram(MappedProgram&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MappedProgram& operator=(MappedProgram&&) = delete;
  ~MappedProgram() {
    if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }
  [[nodiscard]] Bytes bytes() const { return bytes_; }

 private:
  explicit MappedProgram(Bytes bytes) : bytes_(bytes) {}
  Bytes bytes_;
};

/// The part of `bytes`, empty when it is not all there.
Bytes part(Bytes bytes, std::uint64_t offset, std::uint64_t size) {
  const bool there = offset <= bytes.size() && size <= bytes.size() - offset;
  return there ? bytes.subspan(offset, size) : Bytes{};
}

template <class T>
std::optional<T> read(Bytes bytes, std::uint64_t offset) {
  const Bytes from = part(bytes, offset, sizeof(T));
  if (from.empty()) return std::nullopt;
  T value;
  std::memcpy(&value, from.data(), sizeof value);
  return value;
}

/// Names and contents of notes are followed by padding to four bytes.
constexpr std::uint64_t padded(std::uint64_t size) { return (size + 3) / 4 * 4; }

Bytes build_id_among(Bytes notes) {
  while (const auto note = read<ElfW(Nhdr)>(notes, 0)) {
    const Bytes name = part(notes, sizeof *note, note->n_namesz);
    const std::uint64_t contents = sizeof *note + padded(note->n_namesz);
    if (note->n_type == NT_GNU_BUILD_ID && name.size() == sizeof "GNU" && std::memcmp(name.data(), "GNU", 4) == 0)
      return part(notes, contents, note->n_descsz);
    notes = notes.subspan(std::min<std::uint64_t>(contents + padded(note->n_descsz), notes.size()));
  }
  return {};
}

Bytes build_id(Bytes program) {
  const auto header = read<ElfW(Ehdr)>(program, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return {};
  for (std::uint64_t i = 0; i < header->e_phnum; ++i) {
    const auto segment = read<ElfW(Phdr)>(program, header->e_phoff + i * sizeof(ElfW(Phdr)));
    if (!segment || segment->p_type != PT_NOTE) continue;
    if (const Bytes id = build_id_among(part(program, segment->p_offset, segment->p_filesz)); !id.empty()) return id;
  }
  return {};
}

}  // namespace

tl::expected<std::string, cppc_status> program_id(const std::filesystem::path& program) {
  const auto mapped = MappedProgram::open(program);
  if (!mapped) {
    spdlog::error("cannot read the program {}: {}", program.string(), std::strerror(errno));
    return tl::unexpected(CPPC_ERR_SYSTEM);
  }
  const Bytes id = build_id(mapped->bytes());
  if (id.empty()) return fmt::format("hash {:016x}", XXH3_64bits(mapped->bytes().data(), mapped->bytes().size()));
  std::string text = "build id ";
  for (const std::byte byte : id) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

}  // namespace cppc::migration
