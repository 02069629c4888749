/// Notices to a cppc-health elsewhere.
#pragma once

#include "configuration.hpp"

namespace cppc::health {

struct Server {
  bool tls = false;
  std::string host;
  std::uint16_t port = 0;
};

/// "http://HOST[:PORT]" or "https://HOST[:PORT]".
Result<Server> parse_server(const std::string& url);

/// Once it returns the other one has them. The token is not sent to other machines unencrypted.
Result<void> send_notices(const Send& send, const std::vector<Notice>& notices);

}  // namespace cppc::health
