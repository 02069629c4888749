/// Functions of the C library that remember something, with their memory in the program's: c_library.hpp.
#include <getopt.h>
#include <langinfo.h>
#include <locale.h>
#include <search.h>
#include <time.h>
#include <wchar.h>

#include <cstring>
#include <mutex>

#include "address/process/c_library_state.hpp"
#include "address/process/named_locales.hpp"
#include "address/process/next.hpp"
#include "address/process/program_memory.hpp"
#include "address/program_time.hpp"

extern "C" {

int __posix_getopt(int argc, char* const* argv, const char* options) noexcept;

// The names that the library of C++ uses.
locale_t __newlocale(int categories, const char* name, locale_t base) noexcept;
locale_t __duplocale(locale_t locale) noexcept;
}

namespace cppc::address::c_library {

namespace {

/// For texts, which several threads may ask for at a time.
constinit std::mutex mutex;

int note_option(int answer) {
  if (program_time) state().scans_options = answer != -1;
  return answer;
}

tm* kept(const tm* time) {
  if (!program_time || time == nullptr) return const_cast<tm*>(time);
  return &(state().time = *time);
}

char* kept_date(char* date) {
  CLibraryState* const memory = program_time && date != nullptr ? &state() : nullptr;
  if (memory == nullptr || std::strlen(date) >= memory->date.size()) return date;
  return std::strcpy(memory->date.data(), date);
}

/// The same text in the same place each time: programs have several of them at hand.
char* kept_text(char* text) {
  if (!program_time || text == nullptr) return text;
  CLibraryState& memory = state();
  const std::lock_guard lock(mutex);
  for (const Text* entry = memory.texts; entry != nullptr; entry = entry->next)
    if (std::strcmp(entry->text, text) == 0) return entry->text;
  auto* const entry = make_for_program<Text>();
  entry->text = static_cast<char*>(allocate_for_program(std::strlen(text) + 1));
  std::strcpy(entry->text, text);
  entry->next = memory.texts;
  memory.texts = entry;
  return entry->text;
}

/// Others are several texts behind each other, or no texts.
bool is_text(nl_item item) {
  return (item >= ABDAY_1 && item <= T_FMT_AMPM) || item == CODESET || item == RADIXCHAR || item == THOUSEP ||
         item == YESEXPR || item == NOEXPR || item == CRNCYSTR;
}

/// What the C library knows about locales is the process's: another one reads it anew.
char* set_locale(int category, const char* name) {
  const OutsideProgram outside;
  char* const set = CPPC_NEXT(setlocale)(category, name);
  if (name == nullptr) return set;
  const locale_t before = uselocale(LC_GLOBAL_LOCALE);
  mbstate_t state{};
  wchar_t letter = 0;
  (void)mbrtowc(&letter, "a", 1, &state);  // the first conversion loads what all need
  uselocale(before);
  return set;
}

locale_t kept_locale(auto make) {
  const bool for_program = program_time;
  const OutsideProgram outside;
  const locale_t made = make();
  return for_program ? named_locales::copy(made) : made;
}

}  // namespace

}  // namespace cppc::address::c_library

using namespace cppc::address;
using namespace cppc::address::c_library;

#pragma GCC visibility push(default)

extern "C" {

char* strtok(char* text, const char* separators) noexcept {
  return program_time ? strtok_r(text, separators, &state().rest) : CPPC_NEXT(strtok)(text, separators);
}

int getopt(int argc, char* const* argv, const char* options) noexcept {
  return note_option(CPPC_NEXT(getopt)(argc, argv, options));
}

int __posix_getopt(int argc, char* const* argv, const char* options) noexcept {
  return note_option(CPPC_NEXT(__posix_getopt)(argc, argv, options));
}

int getopt_long(int argc, char* const* argv, const char* options, const option* names, int* index) noexcept {
  return note_option(CPPC_NEXT(getopt_long)(argc, argv, options, names, index));
}

int getopt_long_only(int argc, char* const* argv, const char* options, const option* names, int* index) noexcept {
  return note_option(CPPC_NEXT(getopt_long_only)(argc, argv, options, names, index));
}

int hcreate(size_t size) noexcept { return program_time ? hcreate_r(size, &state().table) : CPPC_NEXT(hcreate)(size); }

ENTRY* hsearch(ENTRY item, ACTION action) noexcept {
  if (!program_time) return CPPC_NEXT(hsearch)(item, action);
  ENTRY* found = nullptr;
  (void)hsearch_r(item, action, &found, &state().table);  // null when it fails
  return found;
}

void hdestroy() noexcept {
  if (!program_time) return CPPC_NEXT(hdestroy)();
  hdestroy_r(&state().table);
}

tm* gmtime(const time_t* time) noexcept { return kept(CPPC_NEXT(gmtime)(time)); }

tm* localtime(const time_t* time) noexcept { return kept(CPPC_NEXT(localtime)(time)); }

tm* getdate(const char* text) { return kept(CPPC_NEXT(getdate)(text)); }

char* asctime(const tm* time) noexcept { return kept_date(CPPC_NEXT(asctime)(time)); }

char* ctime(const time_t* time) noexcept { return kept_date(CPPC_NEXT(ctime)(time)); }

char* strerror(int error) noexcept { return kept_text(CPPC_NEXT(strerror)(error)); }

char* strsignal(int number) noexcept { return kept_text(CPPC_NEXT(strsignal)(number)); }

char* nl_langinfo(nl_item item) noexcept {
  char* const text = CPPC_NEXT(nl_langinfo)(item);
  return is_text(item) ? kept_text(text) : text;
}

char* setlocale(int category, const char* name) noexcept { return kept_text(set_locale(category, name)); }

locale_t newlocale(int categories, const char* name, locale_t base) noexcept {
  return kept_locale([=] { return CPPC_NEXT(newlocale)(categories, name, base); });
}

locale_t __newlocale(int categories, const char* name, locale_t base) noexcept {
  return newlocale(categories, name, base);
}

locale_t duplocale(locale_t locale) noexcept {
  return kept_locale([=] { return CPPC_NEXT(duplocale)(locale); });
}

locale_t __duplocale(locale_t locale) noexcept { return duplocale(locale); }

}  // extern "C"

#pragma GCC visibility pop
