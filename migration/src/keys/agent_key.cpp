#include "cppc/agent_key.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <cstdlib>

namespace cppc {

namespace {

std::string key_of(std::string_view job_key, const std::string& who) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned int size = 0;
  if (HMAC(EVP_sha256(), job_key.data(), static_cast<int>(job_key.size()),
           reinterpret_cast<const unsigned char*>(who.data()), who.size(), bytes.data(), &size) == nullptr) {
    std::abort();  // only without memory, or without SHA-256
  }
  std::string text;
  for (unsigned int i = 0; i < size; ++i) {
    for (const int digit : {bytes[i] >> 4, bytes[i] & 15}) text += "0123456789abcdef"[digit];
  }
  return text;
}

}  // namespace

std::string agent_key(std::string_view job_key, int agent) { return key_of(job_key, "agent " + std::to_string(agent)); }

std::string substitute_key(std::string_view job_key, int agent, int count) {
  return key_of(job_key, "substitute " + std::to_string(count) + " of agent " + std::to_string(agent));
}

std::string keeper_proof(std::string_view job_key, std::string_view nonce) {
  return key_of(job_key, "keeper " + std::string(nonce));
}

bool same_secret(std::string_view one, std::string_view other) {
  return one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

}  // namespace cppc
