#include "outside.hpp"

#include <fmt/format.h>

#include <utility>

#include "heap.hpp"
#include "log.hpp"

namespace cppc {

namespace {

constexpr unsigned value_bits = 46;
constexpr std::uint64_t value_mask = (std::uint64_t{1} << value_bits) - 1;
constexpr std::uint64_t max_modules = 0xfffd;

/// Of a word the value says which of those that the image lists.
enum Tag : std::uint64_t { dangling = 0, first_module = 1, word = 0xfffe, number = 0xffff };

/// What a dangling pointer becomes: an address that no process can have.
constexpr std::uint64_t invalid_address = 0xdead'0000'0000'0000;

/// Values that no memory can be at: Linux maps nothing for a process below the first one, and negative ones are its
/// own.
constexpr std::int64_t first_address = 65536;
constexpr std::int64_t lowest_number = -(std::int64_t{1} << (value_bits - 1));

std::uint64_t stored_as(std::uint64_t tag, std::uint64_t value) {
  return tag << (value_bits + 2) | (value & value_mask) << 2 | outside_form;
}

}  // namespace

tl::expected<OutsideEncoder, cppc_status> OutsideEncoder::make(const void* stack) {
  auto memory = MemoryMap::read();
  if (!memory) return tl::unexpected(memory.error());
  return OutsideEncoder(std::move(*memory), stack);
}

tl::expected<std::uint64_t, std::string> OutsideEncoder::encode(const void* pointer) {
  const auto value = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(pointer));
  if (value < first_address && value >= lowest_number) return stored_as(number, static_cast<std::uint64_t>(value));
  if (const auto place = modules_.find(pointer); place && place->offset <= value_mask) {
    const auto [entry, added] = numbers_.try_emplace(place->module, used_.size());
    if (added) used_.push_back(modules_.id(place->module));
    if (entry->second < max_modules) return stored_as(first_module + entry->second, place->offset);
  }
  const MemoryMap::Range* range = memory_.find(pointer);
  if (dangles(pointer, range)) return stored_as(dangling, 0);
  if (range == nullptr) {  // a number that a program keeps in a pointer, say: no address of this process
    const auto bits = static_cast<std::uint64_t>(value);
    const auto [entry, added] = word_numbers_.try_emplace(bits, words_.size());
    if (added) words_.push_back(bits);
    return stored_as(word, entry->second);
  }
  const std::string where = range->name.empty() ? "" : " in " + range->name;
  return tl::unexpected(
      fmt::format("points to {}{}, which is in no object of the state: memory that a library has allocated, or a "
                  "variable that is not declared. Set the pointer to NULL before the safe point, or build the program "
                  "without --portable, which carries libraries' memory along",
                  pointer, where));
}

bool OutsideEncoder::dangles(const void* pointer, const MemoryMap::Range* range) const {
  const bool beyond_stack = range != nullptr && range == memory_.find(stack_) && pointer < stack_;
  return beyond_stack || heap().freed(pointer);
}

tl::expected<OutsideDecoder, cppc_status> OutsideDecoder::make(std::span<const ModuleId> modules,
                                                               std::vector<std::uint64_t> words) {
  OutsideDecoder decoder;
  decoder.words_ = std::move(words);
  decoder.modules_ = Modules::read();
  for (const ModuleId& id : modules) {
    const auto module = decoder.modules_.number_of(id);
    if (!module) {
      log().error("{}", module.error());
      return tl::unexpected(CPPC_ERR_MISMATCH);
    }
    decoder.bases_.push_back(decoder.modules_.base(*module));
  }
  return decoder;
}

tl::expected<void*, std::string> OutsideDecoder::decode(std::uint64_t stored) const {
  const std::uint64_t tag = stored >> (value_bits + 2);
  const std::uint64_t value = stored >> 2 & value_mask;
  if (tag == dangling) return reinterpret_cast<void*>(invalid_address);
  if (tag == number) {
    const bool negative = value >> (value_bits - 1) != 0;
    if (!negative && value >= first_address) return tl::unexpected(std::string("is no number"));
    return reinterpret_cast<void*>(negative ? value | ~value_mask : value);
  }
  if (tag == word) {
    if (value >= words_.size()) return tl::unexpected(std::string("is no word of the image"));
    return reinterpret_cast<void*>(words_[value]);
  }
  if (tag - first_module >= bases_.size()) return tl::unexpected(std::string("points into no module"));
  const std::uintptr_t base = bases_[tag - first_module];
  if (!modules_.has(base, value)) return tl::unexpected(std::string("points outside of its module"));
  return reinterpret_cast<void*>(base + value);
}

}  // namespace cppc
