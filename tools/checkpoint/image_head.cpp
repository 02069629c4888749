#include "image_head.hpp"

#include <array>
#include <fstream>
#include <span>

#include "cppc/file_hash.hpp"
#include "cppc/image.hpp"

namespace cppc::checkpoint {

std::uint64_t head_hash(const std::filesystem::path& file) {
  std::array<char, image::header_bytes> head{};
  std::ifstream in(file, std::ios::binary);
  in.read(head.data(), head.size());
  return in.gcount() > 0 ? FileHash::of(std::as_bytes(std::span(head)).first(static_cast<std::size_t>(in.gcount())))
                         : 0;
}

}  // namespace cppc::checkpoint
