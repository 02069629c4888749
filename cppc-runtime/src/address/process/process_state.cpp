#include "address/process/process_state.hpp"
namespace cppc::address::process_state {
void start() {}
void start_program() {}
cppc_status write(ByteWriter&) { return CPPC_OK; }
cppc_status prepare(ByteReader&) { return CPPC_OK; }
cppc_status restore() { return CPPC_OK; }
void apply() {}
void leave() {}
void visit_mappings(const std::function<void(std::span<std::byte>)>&) {}
bool is_mapping(std::span<const std::byte>) { return false; }
}  // namespace cppc::address::process_state
