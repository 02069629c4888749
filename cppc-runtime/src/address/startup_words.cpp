#include "address/startup_words.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

#include "address/carried_objects.hpp"
#include "address/dead_claims.hpp"
#include "address/large_memory.hpp"
#include "address/places.hpp"
#include "address/region_heap.hpp"
#include "memory_map.hpp"
#include "modules.hpp"
#include "never_destroyed.hpp"

namespace cppc::address {

namespace {

struct StartupWord {
  std::uintptr_t address;
  std::uintptr_t value;
  std::size_t bytes;  ///< at `value`
  std::size_t hash;
};

/// By rising address.
std::vector<StartupWord>& words() {
  static NeverDestroyed<std::vector<StartupWord>> words;
  return *words;
}

constinit const void* startup_stack = nullptr;

/// A stream of the C library of which nothing has to be known but that it is open: of /dev/null, for instance.
bool is_stream_of_device(const char* memory, std::size_t bytes) {
  constexpr unsigned magic = 0xfbad0000, of_magic = 0xffff0000;
  if (bytes < sizeof(FILE)) return false;
  FILE stream;
  std::memcpy(&stream, memory, sizeof stream);
  struct stat file {};
  return (static_cast<unsigned>(stream._flags) & of_magic) == magic && fstat(stream._fileno, &file) == 0 &&
         S_ISCHR(file.st_mode);
}

std::size_t hash_of(std::uintptr_t address, std::size_t bytes) {
  const auto* const memory = reinterpret_cast<const char*>(address);
  const std::hash<std::string_view> hash;
  if (!is_stream_of_device(memory, bytes)) return hash({memory, bytes});
  // The first thread that is started has the C library note there that all streams need their locks.
  constexpr std::size_t begin = offsetof(FILE, _flags2), end = begin + sizeof(int);
  return hash({memory, begin}) ^ hash({memory + end, bytes - end});
}

/// Most words lead to blocks of the C library's heap, which has their sizes in front of them. Others may lead to any
/// memory, such as the stack: then it does not matter how much is looked at, as long as it is there.
std::size_t size_at(std::uintptr_t value, const MemoryMap::Range& range) {
  constexpr std::size_t header = 2 * sizeof(std::size_t), flags = 7;
  const std::size_t rest = range.end - value;
  if (value % header != 0 || value - range.begin < header) return std::min(sizeof value, rest);
  std::size_t size = 0;
  std::memcpy(&size, reinterpret_cast<const void*>(value - sizeof size), sizeof size);
  size &= ~flags;
  const bool may_be_block = size >= 2 * header && size % header == 0 && size - header <= rest;
  return may_be_block ? size - header : std::min(sizeof value, rest);
}

class Finder {
 public:
  explicit Finder(const MemoryMap& memory) : memory_(memory), modules_(Modules::read()) {}

  void look(std::span<const std::byte> data, std::span<const std::span<const std::byte>> untouched) {
    for (const auto& [offset, bytes] : parts_between(dead_parts(data, untouched), data.size()))
      look(data.subspan(offset, bytes));
  }

  void look(std::span<const std::byte> data) {
    constexpr std::size_t word = sizeof(std::uintptr_t);
    auto address = (reinterpret_cast<std::uintptr_t>(data.data()) + word - 1) / word * word;
    const auto end = reinterpret_cast<std::uintptr_t>(data.data() + data.size());
    for (; address + word <= end; address += word) {
      std::uintptr_t value = 0;
      std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
      if (value != 0) look(address, value);
    }
  }

 private:
  void look(std::uintptr_t address, std::uintptr_t value) {
    const auto* const target = reinterpret_cast<const void*>(value);
    const MemoryMap::Range* const range = memory_.find(target);
    if (range == nullptr || !range->writable() || modules_.find(target) || is_program_memory(target)) return;
    const std::size_t bytes = size_at(value, *range);
    words().push_back({address, value, bytes, hash_of(value, bytes)});
  }

  const MemoryMap& memory_;
  Modules modules_;
};

const StartupWord* find(std::uintptr_t address) {
  const auto found = std::ranges::lower_bound(words(), address, {}, &StartupWord::address);
  return found != words().end() && found->address == address ? &*found : nullptr;
}

}  // namespace

void note_startup_words(const void* stack) {
  startup_stack = stack;
  const auto objects = carried_objects();
  if (objects.size() == 1) return;  // the executable alone: its constructors are yet to come
  const auto memory = MemoryMap::read();
  if (!memory) return;  // such words are refused later
  Finder finder(*memory);
  const auto untouched = large_memory(objects).untouched;
  for (const CarriedObject& object : std::span(objects).subspan(1))
    for (const auto data : object.data) finder.look(data, untouched);
  RegionHeap::visit_live([&finder](std::span<std::byte> memory) { finder.look(memory); });
  std::ranges::sort(words(), {}, &StartupWord::address);
}

bool was_on_startup_stack(const MemoryMap::Range& range, const void* address) {
  return range.name == "[stack]" && address < startup_stack;
}

bool is_startup_word(std::uintptr_t address, std::uintptr_t value, std::uintptr_t end) {
  const StartupWord* const word = find(address);
  return word != nullptr && word->value == value && word->bytes <= end - value &&
         hash_of(value, word->bytes) == word->hash;
}

std::optional<std::uintptr_t> startup_word(std::uintptr_t address) {
  const StartupWord* const word = find(address);
  return word != nullptr ? std::optional(word->value) : std::nullopt;
}

}  // namespace cppc::address
