#include "checksum.hpp"

#include <xxhash.h>

#include <bit>
#include <memory>
#include <new>

#include "format.hpp"

namespace cppc::image {

Checksum checksum_of_file(std::span<const std::byte> file) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), &XXH3_freeState);
  if (!state) {
    throw std::bad_alloc();
  }
  XXH3_128bits_reset(state.get());
  XXH3_128bits_update(state.get(), file.data(), offsetof(Header, checksum));
  const auto rest = file.subspan(offsetof(Header, checksum) + sizeof(Checksum));
  XXH3_128bits_update(state.get(), rest.data(), rest.size());
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state.get()));
  return std::bit_cast<Checksum>(canonical);
}

}  // namespace cppc::image
