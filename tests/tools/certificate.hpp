/// Certificates for tests, signed by themselves.
#pragma once

#include <string>

#include "temporary_directory.hpp"

namespace cppc::test {

struct Certificate {
  std::string certificate, key;  ///< paths
};

/// For `names`, as X.509 has them: "DNS:localhost,IP:127.0.0.1".
Certificate make_certificate(const TemporaryDirectory& directory, const std::string& name, const std::string& names);

}  // namespace cppc::test
