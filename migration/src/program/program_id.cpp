#include "cppc/program_id.hpp"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <libelf.h>
#include <spdlog/spdlog.h>
#include <xxhash.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>

#include "cppc/unique_fd.hpp"

namespace cppc::migration {
namespace {

using ElfFile = std::unique_ptr<Elf, decltype(&elf_end)>;

std::string hex(std::span<const unsigned char> bytes) {
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace

tl::expected<std::string, cppc_status> program_id(const std::filesystem::path& program) {
  const UniqueFd file(open(program.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) {
    spdlog::error("cannot open the program {}: {}", program.string(), std::strerror(errno));
    return tl::unexpected(CPPC_ERR_SYSTEM);
  }
  elf_version(EV_CURRENT);
  const ElfFile elf(elf_begin(file.get(), ELF_C_READ_MMAP, nullptr), elf_end);
  std::size_t size = 0;
  const char* const bytes = elf ? elf_rawfile(elf.get(), &size) : nullptr;
  if (bytes == nullptr) {
    spdlog::error("cannot read the program {}: {}", program.string(), elf_errmsg(-1));
    return tl::unexpected(CPPC_ERR_SYSTEM);
  }
  const void* id = nullptr;
  const auto id_size = dwelf_elf_gnu_build_id(elf.get(), &id);
  if (id_size <= 0) return fmt::format("hash {:016x}", XXH3_64bits(bytes, size));
  return "build id " + hex({static_cast<const unsigned char*>(id), static_cast<std::size_t>(id_size)});
}

}  // namespace cppc::migration
