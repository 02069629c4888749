#include "checksum.hpp"

#if defined(__x86_64__)
#include <xxh_x86dispatch.h>
#else
#include <xxhash.h>
#endif

#include <bit>
#include <new>

namespace cppc::image {

namespace {
XXH3_state_t* state_of(void* state) { return static_cast<XXH3_state_t*>(state); }
}  // namespace

void Checksummer::Deleter::operator()(void* state) const { XXH3_freeState(state_of(state)); }

Checksummer::Checksummer() : state_(XXH3_createState()) {
  if (!state_) {
    throw std::bad_alloc();
  }
  XXH3_128bits_reset(state_of(state_.get()));
}

void Checksummer::add(std::span<const std::byte> bytes) {
  if (!bytes.empty()) {
    XXH3_128bits_update(state_of(state_.get()), bytes.data(), bytes.size());
  }
}

Checksum Checksummer::sum() const {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state_of(state_.get())));
  return std::bit_cast<Checksum>(canonical);
}

}  // namespace cppc::image
