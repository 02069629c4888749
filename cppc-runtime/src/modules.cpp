#include "modules.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#define XXH_INLINE_ALL  // nothing of it is exported
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace cppc {

namespace {

constexpr std::uintptr_t kPage = 4096;

std::span<const std::byte> in_memory(std::uintptr_t base, const ElfW(Phdr) & segment) {
  return {reinterpret_cast<const std::byte*>(base + segment.p_vaddr), segment.p_memsz};
}

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return text;
}

/// The contents of the note that the linker leaves about what it has made; empty: there is none.
std::span<const std::byte> build_id_in(std::span<const std::byte> notes, std::size_t alignment) {
  const auto aligned = [&](std::size_t size) { return (size + alignment - 1) / alignment * alignment; };
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) head;
    std::memcpy(&head, notes.data(), sizeof head);
    const std::size_t name = sizeof head;
    const std::size_t contents = aligned(name + head.n_namesz);
    const std::size_t end = aligned(contents + head.n_descsz);
    if (contents + head.n_descsz > notes.size()) break;
    const std::string_view owner(reinterpret_cast<const char*>(notes.data() + name), head.n_namesz);
    if (head.n_type == NT_GNU_BUILD_ID && owner == std::string_view("GNU", 4)) {
      return notes.subspan(contents, head.n_descsz);
    }
    notes = notes.subspan(std::min(end, notes.size()));
  }
  return {};
}

/// Constant segments hold no addresses that the loader would have changed.
std::string hash_of_contents(std::uintptr_t base, std::span<const ElfW(Phdr)> segments) {
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  for (const auto& segment : segments) {
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0 || (segment.p_flags & PF_R) == 0) continue;
    const auto bytes = in_memory(base, segment);
    XXH3_128bits_update(&state, bytes.data(), bytes.size());
  }
  const XXH128_hash_t hash = XXH3_128bits_digest(&state);
  return fmt::format("contents {:016x}{:016x}", hash.high64, hash.low64);
}

std::string identity_of(std::uintptr_t base, std::span<const ElfW(Phdr)> segments) {
  for (const auto& segment : segments) {
    if (segment.p_type != PT_NOTE) continue;
    const auto id = build_id_in(in_memory(base, segment), segment.p_align >= 8 ? 8 : 4);
    if (!id.empty()) return "build id " + hex(id);
  }
  return hash_of_contents(base, segments);
}

std::string described(const ModuleId& id) { return id.name.empty() ? "the program" : "the library " + id.name; }

}  // namespace

Modules Modules::read() {
  Modules all;
  const auto add = [](dl_phdr_info* info, std::size_t, void* context) {
    auto& modules = static_cast<Modules*>(context)->modules_;
    const std::string_view path = info->dlpi_name;
    const auto slash = path.rfind('/');
    modules.push_back({std::string(slash == std::string_view::npos ? path : path.substr(slash + 1)), info->dlpi_addr,
                       std::span(info->dlpi_phdr, info->dlpi_phnum),
                       reinterpret_cast<std::uintptr_t>(info->dlpi_tls_data)});
    return 0;
  };
  dl_iterate_phdr(add, &all);
  for (std::size_t i = 0; i < all.modules_.size(); ++i) {
    for (const auto& segment : all.modules_[i].segments) {
      if (segment.p_type != PT_LOAD) continue;
      // What the segment does not fill of its pages is of the same file, or zero: it is not anybody else's.
      const std::uintptr_t begin = all.modules_[i].base + segment.p_vaddr;
      all.segments_.push_back({begin / kPage * kPage, (begin + segment.p_memsz + kPage - 1) / kPage * kPage, i});
    }
  }
  std::ranges::sort(all.segments_, {}, &Segment::begin);
  for (std::size_t i = 0; i < all.modules_.size(); ++i)
    if (const std::uintptr_t begin = all.find_record_of(i); begin != 0) all.records_.push_back({begin, i});
  std::ranges::sort(all.records_, {}, &Record::begin);
  return all;
}

/// As the dynamic linker says; 0: it does not.
std::uintptr_t Modules::find_record_of(std::size_t module) const {
  const auto segment = std::ranges::find(segments_, module, &Segment::module);
  dl_find_object found;
  if (segment == segments_.end() || _dl_find_object(reinterpret_cast<void*>(segment->begin), &found) != 0) return 0;
  return reinterpret_cast<std::uintptr_t>(found.dlfo_link_map);
}

std::optional<Modules::Place> Modules::find(const void* address) const {
  const auto value = reinterpret_cast<std::uintptr_t>(address);
  const auto segment = std::ranges::upper_bound(segments_, value, {}, &Segment::begin);
  if (segment == segments_.begin() || value >= (segment - 1)->end) return std::nullopt;
  const std::size_t module = (segment - 1)->module;
  return Place{module, value - modules_[module].base};
}

ModuleId Modules::id(std::size_t module) const {
  const Module& one = modules_[module];
  return {one.name, cppc::identity_of(one.base, one.segments)};
}

std::uintptr_t Modules::record(std::size_t module) const {
  const auto found = std::ranges::find(records_, module, &Record::module);
  return found == records_.end() ? 0 : found->begin;
}

std::span<const Modules::Record> Modules::records_from(std::uintptr_t begin) const {
  return {std::ranges::lower_bound(records_, begin, {}, &Record::begin), records_.end()};
}

std::optional<std::size_t> Modules::find_record(std::uintptr_t wanted) const {
  const auto next = records_from(wanted);
  return !next.empty() && next.front().begin == wanted ? std::optional(next.front().module) : std::nullopt;
}

std::vector<std::uintptr_t> Modules::records_in(std::uintptr_t begin, std::uintptr_t end) const {
  std::vector<std::uintptr_t> found;
  for (const Record& record : records_from(begin)) {
    if (record.begin >= end) break;
    found.push_back(record.begin);
  }
  return found;
}

std::uintptr_t Modules::thread_data_in(std::uintptr_t begin, std::uintptr_t end) const {
  std::uintptr_t least = end;
  for (const Module& module : modules_)
    if (module.thread_data >= begin) least = std::min(least, module.thread_data);
  return least;
}

bool Modules::is_within_record(std::uintptr_t address) const {
  constexpr std::uintptr_t least = 1024;  // struct link_map, with what <link.h> does not tell, in any glibc 2
  const auto next = records_from(address - std::min(address, least - 1));
  return !next.empty() && next.front().begin < address;
}

std::string Modules::identity_at(std::uintptr_t base) const {
  const auto found = std::ranges::find(modules_, base, &Module::base);
  return found == modules_.end() ? std::string() : cppc::identity_of(found->base, found->segments);
}

tl::expected<std::size_t, std::string> Modules::number_of(const ModuleId& wanted) const {
  std::string others;  // libraries in several directories may have one name
  for (std::size_t i = 0; i < modules_.size(); ++i) {
    if (modules_[i].name != wanted.name) continue;
    const std::string identity = cppc::identity_of(modules_[i].base, modules_[i].segments);
    if (identity == wanted.identity) return i;
    if (others.empty()) others = identity;
  }
  if (others.empty())
    return tl::unexpected(described(wanted) + ", which the state has pointers into, is not loaded here");
  return tl::unexpected(described(wanted) + ", which the state has pointers into, is another one here (" + others +
                        " instead of " + wanted.identity + "): the nodes need the same files");
}

bool Modules::has(std::uintptr_t base, std::uint64_t offset) const {
  const auto place = find(reinterpret_cast<const void*>(base + offset));
  return place && modules_[place->module].base == base;
}

}  // namespace cppc
