#include "address/process/named_locales.hpp"

#include <malloc.h>
#include <wchar.h>

#include <clocale>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <span>

#include "address/process/c_library_state.hpp"
#include "address/process/next.hpp"
#include "address/process/program_memory.hpp"
#include "never_destroyed.hpp"

namespace cppc::address {

namespace c_library {

/// One category of a locale: struct __locale_data of glibc's locale/localeinfo.h, which is not public. Values lead into
/// the contents of the locale's file, or are numbers.
struct LocaleData {
  const char* name;
  const char* contents;
  std::int64_t bytes;  ///< of contents
  int allocation;
  void* more;  ///< of LC_CTYPE: what is known about conversions and other things, behind the values; else found when
               ///< needed
  unsigned users;
  int transliterates;
  unsigned count;  ///< of values
  std::uint64_t values[];
};

/// A copy of one; it stays.
struct LocaleCopy {
  LocaleCopy* next;
  LocaleData* data;
  void** conversions;  ///< of LC_CTYPE; otherwise null
};

}  // namespace c_library

namespace named_locales {

namespace {

using c_library::CLibraryState;
using c_library::LocaleCopy;
using c_library::LocaleData;

constexpr unsigned kNeverFreed = ~0U;  // UNDELETABLE of glibc's
constexpr std::size_t kCategories = std::size(decltype(__locale_struct::__names){});
constexpr std::size_t kAlignment = 16;

constinit std::mutex mutex;

/// Of those that the C library has read; they stay, since it is never told that the program needs them no more.
using Copies = std::map<const LocaleData*, LocaleData*>;

Copies& copies() {
  static NeverDestroyed<Copies> all;
  return *all;
}

LocaleData* data(const __locale_struct& locale, std::size_t category) {
  return reinterpret_cast<LocaleData*>(locale.__locales[category]);
}

void set_data(__locale_struct& locale, std::size_t category, LocaleData* value) {
  locale.__locales[category] = reinterpret_cast<__locale_data*>(value);
}

/// The beginning of a locale's file: locale/loadlocale.c of glibc's.
struct FileHead {
  std::uint32_t magic;
  std::uint32_t count;
  std::uint32_t offsets[];
};

/// locale/localeinfo.h of glibc's.
std::uint32_t magic_of(std::size_t category) {
  const std::uint32_t version = category == LC_COLLATE ? 0x20051014 : category == LC_CTYPE ? 0x20090720 : 0x20031115;
  return version ^ static_cast<std::uint32_t>(category);
}

/// 0: it does not lie where it is expected.
std::size_t bytes_of_more(const LocaleData& one) {
  const auto begin = reinterpret_cast<std::uintptr_t>(&one), more = reinterpret_cast<std::uintptr_t>(one.more);
  const std::uintptr_t end = begin + malloc_usable_size(const_cast<LocaleData*>(&one));
  return more >= reinterpret_cast<std::uintptr_t>(&one.values[one.count]) && more < end ? end - more : 0;
}

bool is_known_form(const LocaleData& one, std::size_t category) {
  if (one.contents == nullptr || one.bytes < std::int64_t{sizeof(FileHead)}) return false;
  if (category == LC_CTYPE && bytes_of_more(one) < sizeof(void*)) return false;
  const auto& head = *reinterpret_cast<const FileHead*>(one.contents);
  const std::uint64_t end = sizeof(FileHead) + (head.count * sizeof(std::uint32_t));
  return head.magic == magic_of(category) && head.count == one.count && end <= static_cast<std::uint64_t>(one.bytes);
}

/// At the first conversion. The program's own first one would have them in the program's memory.
void find_conversions_in(LocaleData& one) {
  __locale_struct locale = *CPPC_NEXT(newlocale)(LC_ALL_MASK, "C", nullptr);
  set_data(locale, LC_CTYPE, &one);
  const locale_t before = uselocale(&locale);
  mbstate_t state{};
  wchar_t letter = 0;
  (void)mbrtowc(&letter, "a", 1, &state);
  uselocale(before);
}

LocaleData* copy_of(const LocaleData& one, std::size_t category) {
  const std::size_t head = sizeof(LocaleData) + (one.count * sizeof one.values[0]);
  const std::size_t place = (head + kAlignment - 1) / kAlignment * kAlignment;
  const std::size_t name = place + static_cast<std::size_t>(one.bytes);
  auto* const memory = static_cast<char*>(allocate_for_program(name + std::strlen(one.name) + 1));
  auto* const copied = reinterpret_cast<LocaleData*>(memory);
  std::memcpy(memory, &one, head);
  std::memcpy(memory + place, one.contents, static_cast<std::size_t>(one.bytes));
  copied->name = std::strcpy(memory + name, one.name);
  copied->contents = memory + place;
  copied->users = kNeverFreed;
  const auto& file = *reinterpret_cast<const FileHead*>(one.contents);
  for (unsigned i = 0; i < one.count; ++i)
    if (one.values[i] == reinterpret_cast<std::uintptr_t>(one.contents + file.offsets[i]))
      copied->values[i] = reinterpret_cast<std::uintptr_t>(copied->contents + file.offsets[i]);
  void** conversions = nullptr;
  if (category == LC_CTYPE) {
    const std::size_t size = bytes_of_more(one);
    conversions = static_cast<void**>(std::memcpy(allocate_for_program(size), one.more, size));
    *conversions = nullptr;
  }
  copied->more = conversions;
  auto* const entry = make_for_program<LocaleCopy>();
  auto& first = c_library::state().locales;
  *entry = {.next = first, .data = copied, .conversions = conversions};
  first = entry;
  if (conversions != nullptr) find_conversions_in(*copied);
  return copied;
}

const LocaleCopy* first_copy() {
  const auto* state = find_root<CLibraryState>(Root::c_library);
  return state != nullptr ? state->locales : nullptr;
}

bool is_ours(const LocaleData* one) {
  const LocaleCopy* entry = first_copy();
  while (entry != nullptr && entry->data != one) entry = entry->next;
  return entry != nullptr;
}

/// `pointer`, in the copy where it led into what was copied.
template <class T>
void lead_to(const T*& pointer, const LocaleData& from, const LocaleData& to) {
  const auto offset = reinterpret_cast<std::uintptr_t>(pointer) - reinterpret_cast<std::uintptr_t>(from.contents);
  if (offset < static_cast<std::uint64_t>(from.bytes)) pointer = reinterpret_cast<const T*>(to.contents + offset);
}

void replace(locale_t locale, std::size_t category) {
  const LocaleData& given = *data(*locale, category);
  if (is_ours(&given)) return;
  LocaleData*& copied = copies()[&given];
  if (copied == nullptr) copied = copy_of(given, category);
  set_data(*locale, category, copied);
  if (category != LC_CTYPE) return;
  lead_to(locale->__ctype_b, given, *copied);
  lead_to(locale->__ctype_tolower, given, *copied);
  lead_to(locale->__ctype_toupper, given, *copied);
}

}  // namespace

locale_t copy(locale_t made) {
  const locale_t c = CPPC_NEXT(newlocale)(LC_ALL_MASK, "C", nullptr);
  if (made == nullptr || made == c) return made;
  const std::lock_guard lock(mutex);
  const auto is_cs = [&](std::size_t category) { return made->__locales[category] == c->__locales[category]; };
  std::size_t bytes = sizeof *made;
  for (std::size_t i = 0; i < kCategories; ++i) {
    if (i == LC_ALL || is_cs(i)) continue;
    if (!is_ours(data(*made, i)) && !is_known_form(*data(*made, i), i)) return made;
    bytes += std::strlen(made->__names[i]) + 1;
  }
  auto* const memory = static_cast<char*>(allocate_for_program(bytes));
  auto* const copied = reinterpret_cast<locale_t>(memory);
  *copied = *made;
  char* name = memory + sizeof *made;
  for (std::size_t i = 0; i < kCategories; ++i) {
    if (i == LC_ALL || is_cs(i)) continue;
    copied->__names[i] = std::strcpy(name, made->__names[i]);
    name += std::strlen(name) + 1;
    replace(copied, i);
  }
  std::free(made);  // and no more: what it led to stays
  return copied;
}

bool holds(const std::byte* place) {
  for (const LocaleCopy* entry = first_copy(); entry != nullptr; entry = entry->next) {
    const auto* const contents = reinterpret_cast<const std::byte*>(entry->data->contents);
    if (place >= contents && place < contents + entry->data->bytes) return true;
  }
  return false;
}

void forget_conversions() {
  for (const LocaleCopy* entry = first_copy(); entry != nullptr; entry = entry->next)
    if (entry->conversions != nullptr) *entry->conversions = nullptr;
}

void find_conversions() {
  for (const LocaleCopy* entry = first_copy(); entry != nullptr; entry = entry->next)
    if (entry->conversions != nullptr) find_conversions_in(*entry->data);
}

}  // namespace named_locales

}  // namespace cppc::address
