/// What cppc-run needs to listen at 127.0.0.1, and clients to ask there.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "scene.hpp"

namespace cppc::test {

class Secrets {
 public:
  Secrets() {
    std::ofstream(token()) << "0123456789abcdef0123456789abcdef\n";
    const Finished made = run({"openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=test",
                               "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key(), "-out", certificate()});
    EXPECT_EQ(made.status, 0) << made.errors;
    for (const std::string& secret : {token(), key()})
      std::filesystem::permissions(secret, std::filesystem::perms(0600));
  }
  [[nodiscard]] std::string token() const { return folder_.file("token"); }
  [[nodiscard]] std::string key() const { return folder_.file("key"); }
  [[nodiscard]] std::string certificate() const { return folder_.file("certificate"); }
  [[nodiscard]] std::vector<std::string> of_client(const std::string& port) const {
    return {"--server", "https://127.0.0.1:" + port, "--ca", certificate(), "--token-file", token()};
  }

 private:
  Folder folder_;
};

}  // namespace cppc::test
