/// Credentials of MUNGE: the munged of one machine tells that of another who has made a statement. It does so once.
#pragma once

#include <sys/types.h>

#include <string>

#include "../common/result.hpp"

namespace cppc::tools {

/// Where to find munged, when it is not where MUNGE has it by default.
inline constexpr const char* munge_socket_variable = "CPPC_MUNGE_SOCKET";

/// What a request states. Whoever gets it can ask nothing else of nobody else in the name of the one who made it:
/// `authority` is "HOST:PORT", as the client has it.
std::string statement(const std::string& method, const std::string& path, const std::string& authority);

/// "HOST:PORT" as in URLs.
std::string authority(const std::string& host, int port);

/// By this process's user.
Result<std::string> make_credential(const std::string& statement);

struct Credential {
  uid_t user = 0;
  std::string statement;
};

/// An error when it is not one, when it is too old, or has been opened before.
Result<Credential> open_credential(const std::string& credential);

}  // namespace cppc::tools
