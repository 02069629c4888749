/// The runtime's own block of an image: everything about the state except the contents of its objects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "architecture.hpp"
#include "inventory.hpp"
#include "keep_alive.hpp"
#include "modules.hpp"
#include "outside.hpp"
#include "required.hpp"

namespace cppc {

struct RuntimeBlock {
  Architecture architecture = Architecture::here();  ///< of the process that wrote it
  std::uint64_t passed = 0;                          ///< safe points
  std::uint32_t site = 0;                            ///< of the last one
  std::uint64_t next_heap_number = 1;
  std::vector<std::string> functions;
  std::vector<ModuleId> modules;           ///< that pointers lead into
  std::vector<std::uint64_t> words;        ///< in the place of pointers, that are no addresses
  std::vector<OutsideConstant> constants;  ///< of the program, that pointers lead to
  std::vector<StoredCall> calls;
  Inventory inventory;                  ///< addresses are not part of the block
  std::vector<const cppc_type*> types;  ///< that its objects have, and what these consist of; only read
  std::vector<std::byte> mpi;
};

/// The number that is the name of a heap block.
std::optional<std::uint64_t> heap_number(const Object& object);

std::vector<std::byte> write_runtime_block(const RuntimeBlock& block);

/// Visits it as cppc_runtime::capture does, whatever wrote its bytes.
cppc_status visit_runtime_block(std::span<const std::byte> bytes,
                                cppc_status (*visit)(const cppc_block* block, void* context), void* context);

/// Nothing for bytes that write_runtime_block() cannot have written. Layouts it gives live as long as the process.
std::optional<RuntimeBlock> read_runtime_block(std::span<const std::byte> bytes, const KeepAlive& keep_alive = {});

}  // namespace cppc
