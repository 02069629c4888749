/// Which memory of a loaded object its code writes to.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "address/elf_object.hpp"

namespace cppc::address {

/// By rising address, without what the dynamic linker fills for this process, and without variables of libraries that
/// are not among `libraries`.
std::vector<std::span<std::byte>> written_data(const ElfObject& object, std::span<const ElfObject* const> libraries);

/// Pages that are of no file: zero until somebody writes to them.
std::vector<std::span<std::byte>> zeroed_data(const ElfObject& object);

}  // namespace cppc::address
