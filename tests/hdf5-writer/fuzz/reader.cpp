/// The reader of images and what brings their heads: any bytes are an error or an image that can be read, never a
/// crash, a hang, or more memory than in proportion to them.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../reseal.hpp"
#include "../samples.hpp"
#include "cppc/image.hpp"
#include "fabric/head.hpp"
#include "fuzz.hpp"

namespace {

using namespace cppc::image;
using cppc::fuzz::Bytes;
using cppc::fuzz::require;

/// Reads what a careful receiver would.
void use(const Reader& reader, std::uint64_t file_bytes) {
  constexpr std::uint64_t reasonable = 1 << 16;
  Bytes contents;
  for (const Entry& entry : reader.entries()) {
    require(entry.stored_bytes <= file_bytes);
    std::uint64_t stored = 0;
    for (const Stored& part : reader.stored(entry)) {
      require(part.file_offset <= file_bytes && part.bytes <= file_bytes - part.file_offset);
      require(part.object_offset <= entry.bytes && part.bytes <= entry.bytes - part.object_offset);
      stored += part.bytes;
    }
    require(stored == entry.stored_bytes);
    contents.resize(std::min(entry.bytes, reasonable));
    (void)reader.read_part(entry, 0, contents);
    (void)reader.read_part(entry, entry.bytes - contents.size(), contents);
  }
}

/// The head of a file, as if it were all that is there.
void use_head(const Bytes& file) {
  const std::vector<Extent> whole{{0, file}};
  const auto index = read_index(FileView(whole, file.size()), samples::header_of(file), {});
  if (!index) return;
  std::vector<Extent> head;
  for (const auto& [offset, bytes] : index->head) head.push_back({offset, std::span(file).subspan(offset, bytes)});
  if (const auto reader = Reader::open_head(head)) use(*reader, file.size());
}

}  // namespace

namespace cppc::fuzz {

std::vector<Bytes> seeds() {
  using namespace image::samples;
  const std::vector<double> numbers(40, 1.5);
  return {varied_file(), file_of(std::vector<Object>{}),
          file_of({{"heap/1", float64, 1000, {}}, {"heap/2", particle, 0, {}}}),
          file_of({object("global/a", float64, numbers), object("heap/1", particle, particles(3))})};
}

}  // namespace cppc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  spdlog::set_level(spdlog::level::off);
  const auto bytes = std::as_bytes(std::span(data, size));
  if (const auto head = cppc::fabric::decode_head(bytes)) (void)Reader::open_head(*head);
  Bytes file(bytes.begin(), bytes.end());
  if (file.size() < header_bytes) return 0;
  (void)Reader::open(file);
  samples::reseal(file);  // the checksum would keep almost all of it out
  if (const auto reader = Reader::open(file)) use(*reader, file.size());
  use_head(file);
  return 0;
}
