#include "address/startup_calls.hpp"

namespace cppc::address {

bool startup_call_is_programs(const void* /*return_address*/) { return false; }

}  // namespace cppc::address
