/// What a process has besides memory: what of it is the program's goes along.
#pragma once

#include <functional>
#include <span>

#include "bytes.hpp"
#include "cppc/status.h"

namespace cppc::address::process_state {

/// At the start of every process that is kept by address, before any program's code; start_program(): in the program's
/// time, in one whose main() will be called.
void start();
void start_program();

/// Reads everything, changes nothing. CPPC_ERR_UNSUPPORTED, logged by name, for what cannot be carried over.
cppc_status write(ByteWriter& writer);

/// In a replacement, in this order. prepare(): before memory comes. restore(): it is in place. Errors are logged by
/// name, and the rank goes on where it was. apply(): right before the program goes on.
cppc_status prepare(ByteReader& reader);
cppc_status restore();
void apply();

/// In a process whose rank has moved: nothing of the program happens here any more.
void leave();

/// What the program has from mmap().
void visit_mappings(const std::function<void(std::span<std::byte>)>& visit);
bool is_mapping(std::span<const std::byte> memory);

}  // namespace cppc::address::process_state
