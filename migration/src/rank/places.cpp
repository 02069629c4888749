#include "places.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <string_view>

namespace cppc::migration {
namespace {

tl::expected<cppc_section, cppc_status> section_of(std::string_view name) {
  if (name == "runtime") return CPPC_SECTION_RUNTIME;
  if (name == "global") return CPPC_SECTION_GLOBAL;
  if (name == "frame") return CPPC_SECTION_FRAME;
  if (name == "heap") return CPPC_SECTION_HEAP;
  if (name == "stack") return CPPC_SECTION_STACK;
  if (name == "mapping") return CPPC_SECTION_MAPPING;
  spdlog::error("the image holds an object of unknown section '{}'", name);
  return tl::unexpected(CPPC_ERR_IMAGE);
}

constexpr std::size_t entries_between_calls = 1024;  // of KeepAlive: some microseconds

/// For the runtime, which cannot be told that its work is in vain: the next call for ourselves tells.
void keep_alive_of(void* context) { (void)(*static_cast<const fabric::KeepAlive*>(context))(); }

/// It is the first entry, or the last.
tl::expected<void, cppc_status> begin_restore(const cppc_runtime& runtime, const image::Reader& reader,
                                              fabric::KeepAlive keep_alive) {
  const auto is_runtimes = [](const image::Entry& entry) { return entry.path.starts_with("runtime/"); };
  const auto entry = std::ranges::find_if(reader.entries(), is_runtimes);
  if (entry == reader.entries().end()) {
    spdlog::error("the image holds no block of the runtime");
    return tl::unexpected(CPPC_ERR_IMAGE);
  }
  std::vector<std::byte> block(entry->bytes);
  if (auto read = reader.read(*entry, block); !read) return read;
  const cppc_status begun = runtime.restore_begin(block.data(), block.size(), keep_alive_of, &keep_alive);
  if (begun != CPPC_OK) return tl::unexpected(begun);
  return {};
}

/// Adds the places of an object's contents.
tl::expected<void, cppc_status> place_entry(const cppc_runtime& runtime, const image::Reader& reader,
                                            const image::Entry& entry, std::vector<fabric::Place>& places) {
  const auto slash = entry.path.find('/');
  const auto section = section_of(entry.path.substr(0, slash));
  if (!section) return tl::unexpected(section.error());
  if (*section == CPPC_SECTION_RUNTIME) return {};
  void* place = nullptr;
  const cppc_status placed = runtime.restore_place(*section, entry.path.substr(slash + 1).c_str(), entry.bytes, &place);
  if (placed != CPPC_OK) return tl::unexpected(placed);
  if (entry.dead || place == nullptr) return {};
  const std::span memory(static_cast<std::byte*>(place), entry.bytes);
  for (const image::Stored& part : reader.stored(entry))
    places.push_back({.offset = part.file_offset, .memory = memory.subspan(part.object_offset, part.bytes)});
  return {};
}

/// Tens of millions of places take seconds.
void sort(std::vector<fabric::Place>& places, const fabric::KeepAlive& keep_alive) {
  std::size_t comparisons = 0;
  std::ranges::sort(places, [&](const fabric::Place& one, const fabric::Place& other) {
    if (++comparisons % (entries_between_calls * 64) == 0) (void)keep_alive();
    return one.offset < other.offset;
  });
}

}  // namespace

tl::expected<std::vector<fabric::Place>, cppc_status> places_for(const cppc_runtime& runtime,
                                                                 const image::Reader& reader,
                                                                 const fabric::KeepAlive& keep_alive) {
  std::vector<fabric::Place> places;
  if (auto begun = begin_restore(runtime, reader, keep_alive); !begun) return tl::unexpected(begun.error());
  for (const auto& entry : reader.entries()) {
    if (entry.number % entries_between_calls == 0)
      if (auto alive = keep_alive(); !alive) return tl::unexpected(alive.error());
    if (auto placed = place_entry(runtime, reader, entry, places); !placed) return tl::unexpected(placed.error());
  }
  sort(places, keep_alive);
  if (auto alive = keep_alive(); !alive) return tl::unexpected(alive.error());
  return places;
}

}  // namespace cppc::migration
