/// Environment variables that have one of a few values, or a number: how much is said, and how state travels.
#pragma once

#include <string>
#include <string_view>

namespace cppc::choices {

/// What is wrong with the value of an environment variable, by the values that it may have; empty: nothing, or it is
/// none of CPPC_LOG, CPPC_COMPRESS, CPPC_FABRIC_CHUNK and CPPC_FABRIC_DEPTH. Empty, these are as if they were not set,
/// but for CPPC_LOG.
std::string validation_error(std::string_view name, std::string_view value);

}  // namespace cppc::choices
