#include "outside.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "heap.hpp"
#include "log.hpp"
#include "registry.hpp"

namespace cppc {

namespace {

constexpr unsigned value_bits = 46;
constexpr std::uint64_t value_mask = (std::uint64_t{1} << value_bits) - 1;
constexpr std::uint64_t max_modules = 0xfffd;

/// Of a word the value says which of those that the image lists.
enum Tag : std::uint64_t { dangling = 0, first_module = 1, word = 0xfffe, number = 0xffff };

/// What a dangling pointer becomes: an address that no process can have.
constexpr std::uintptr_t invalid_address =
    static_cast<std::uintptr_t>(sizeof(void*) == sizeof(std::uint64_t) ? 0xdead'0000'0000'0000 : 0xffff'f000);

/// Values that no memory can be at: Linux maps nothing for a process below the first one, and negative ones are its
/// own; with 4 bytes only the very last ones.
constexpr std::int64_t first_address = 65536;
constexpr std::int64_t lowest_number =
    sizeof(void*) == sizeof(std::uint64_t) ? -(std::int64_t{1} << (value_bits - 1)) : -4095;

/// A text longer than this is none that a program has as a literal.
constexpr std::size_t longest_text = 65536;

/// What lies there up to the 0 that ends it, if that is text: all of it printable, and some.
std::optional<std::string> text_at(const char* text, const char* end) {
  const auto* const last = static_cast<const char*>(
      std::memchr(text, 0, std::min<std::size_t>(longest_text, static_cast<std::size_t>(end - text))));
  if (last == nullptr || last == text) return std::nullopt;
  const auto is_text = [](char c) { return static_cast<unsigned char>(c) >= ' ' || c == '\n' || c == '\t'; };
  return std::all_of(text, last, is_text) ? std::optional<std::string>(std::in_place, text, last) : std::nullopt;
}

/// Of the program's; null: none lies there.
const Variable* constant_at(const void* pointer) {
  const auto* const place = static_cast<const std::byte*>(pointer);
  const auto holds = [place](const Variable& constant) {
    const auto* const begin = static_cast<const std::byte*>(constant.address);
    return place >= begin && place < begin + constant.count * constant.type->size;
  };
  const auto& all = registry().constants;
  const auto found = std::ranges::find_if(all, holds);
  return found != all.end() ? &*found : nullptr;
}

/// Null: this program does not have it.
const void* address_of(const OutsideConstant& constant) {
  const auto& all = registry().constants;
  const auto found = std::ranges::find(all, std::string_view(constant.name), &Variable::name);
  if (found == all.end()) return nullptr;
  const auto offset = offset_of(layout_of(found->type), found->count, constant.leaf);
  return offset ? static_cast<const std::byte*>(found->address) + *offset : nullptr;
}

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
  const std::int64_t value = reinterpret_cast<std::intptr_t>(pointer);
  if (reinterpret_cast<std::uintptr_t>(pointer) == invalid_address) return stored_as(dangling, 0);
  if (value < first_address && value >= lowest_number) return stored_as(number, static_cast<std::uint64_t>(value));
  if (const auto place = modules_.find(pointer); place && place->offset <= value_mask) {
    const auto [entry, added] = numbers_.try_emplace(place->module, used_.size());
    if (added) used_.push_back(modules_.id(place->module));
    const std::uint64_t stored = stored_as(first_module + entry->second, place->offset);
    if (modules_.name(place->module).empty()) note_constant(stored, pointer);
    if (entry->second < max_modules) return stored;
  }
  const MemoryMap::Range* range = memory_.find(pointer);
  if (heap().block_behind(pointer) != nullptr)
    return tl::unexpected(fmt::format(
        "points to {}, before a block of the heap: set it to the block's beginning, or to NULL, before the safe "
        "point, or build the program without --portable",
        pointer));
  if (dangles(pointer, range)) return stored_as(dangling, 0);
  if (range == nullptr) {  // a number that a program keeps in a pointer, say: no address of this process
    const std::uint64_t bits = reinterpret_cast<std::uintptr_t>(pointer);
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

void OutsideEncoder::note_constant(std::uint64_t stored, const void* pointer) {
  if (!noted_.insert(stored).second) return;
  if (const Variable* const constant = constant_at(pointer)) {
    const auto offset = static_cast<const std::byte*>(pointer) - static_cast<const std::byte*>(constant->address);
    const auto leaf = leaf_at(layout_of(constant->type), constant->count, static_cast<std::uint64_t>(offset));
    if (leaf) constants_.push_back({.stored = stored, .name = constant->name, .text = {}, .leaf = *leaf});
    return;
  }
  const MemoryMap::Range* const range = memory_.find(pointer);
  if (range == nullptr || range->protection != PROT_READ) return;
  auto text = text_at(static_cast<const char*>(pointer), reinterpret_cast<const char*>(range->end));
  if (text) constants_.push_back({.stored = stored, .name = {}, .text = *std::move(text), .leaf = {}});
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

OutsideDecoder OutsideDecoder::of_constants(std::span<const ModuleId> modules, std::vector<std::uint64_t> words,
                                            std::span<const OutsideConstant> constants) {
  OutsideDecoder decoder;
  decoder.words_ = std::move(words);
  for (const ModuleId& id : modules)
    decoder.elsewhere_.push_back(id.name.empty() ? "the program" : "the library " + id.name);
  for (const OutsideConstant& constant : constants) {
    const void* const here = constant.name.empty() ? (new std::string(constant.text))->c_str()  // used until the end
                                                   : address_of(constant);
    if (here != nullptr) decoder.constants_.emplace(constant.stored, here);
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
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(negative ? value | ~value_mask : value));
  }
  if (tag == word) {
    if (value >= words_.size()) return tl::unexpected(std::string("is no word of the image"));
    if (words_[value] > std::numeric_limits<std::uintptr_t>::max())
      return tl::unexpected(fmt::format("is {:#x}, which does not fit into a pointer here", words_[value]));
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(words_[value]));
  }
  return in_module(tag - first_module, value, stored);
}

tl::expected<void*, std::string> OutsideDecoder::in_module(std::uint64_t module, std::uint64_t offset,
                                                           std::uint64_t stored) const {
  if (const auto constant = constants_.find(stored); constant != constants_.end())
    return const_cast<void*>(constant->second);
  if (module < elsewhere_.size())
    return tl::unexpected("points into " + elsewhere_[module] + ", where another architecture has something else");
  if (module >= bases_.size()) return tl::unexpected(std::string("points into no module"));
  const std::uintptr_t base = bases_[module];
  if (!modules_.has(base, offset)) return tl::unexpected(std::string("points outside of its module"));
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(base + offset));
}

}  // namespace cppc
