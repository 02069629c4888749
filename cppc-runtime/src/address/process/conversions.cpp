/// Conversions of characters that lie in pieces: without a state of the caller's they go on from where the function
/// was, which is in the program's memory here.
#include <uchar.h>
#include <wchar.h>

#include "address/process/c_library_state.hpp"
#include "address/process/next.hpp"
#include "address/program_time.hpp"

using namespace cppc::address;

namespace {

/// `given`, or the function's own.
mbstate_t* kept(mbstate_t* given, mbstate_t c_library::Conversions::*own) {
  return given != nullptr || !program_time ? given : &(c_library::state().conversions.*own);
}

using Own = c_library::Conversions;

}  // namespace

#pragma GCC visibility push(default)

extern "C" {

size_t mbrtowc(wchar_t* letter, const char* text, size_t bytes, mbstate_t* state) noexcept {
  return CPPC_NEXT(mbrtowc)(letter, text, bytes, kept(state, &Own::mbrtowc));
}

size_t mbrlen(const char* text, size_t bytes, mbstate_t* state) noexcept {
  return CPPC_NEXT(mbrlen)(text, bytes, kept(state, &Own::mbrlen));
}

// As the header has mbrlen() call it.
size_t __mbrlen(const char* text, size_t bytes, mbstate_t* state) noexcept { return mbrlen(text, bytes, state); }

size_t wcrtomb(char* text, wchar_t letter, mbstate_t* state) noexcept {
  return CPPC_NEXT(wcrtomb)(text, letter, kept(state, &Own::wcrtomb));
}

size_t mbsrtowcs(wchar_t* letters, const char** text, size_t count, mbstate_t* state) noexcept {
  return CPPC_NEXT(mbsrtowcs)(letters, text, count, kept(state, &Own::mbsrtowcs));
}

size_t mbsnrtowcs(wchar_t* letters, const char** text, size_t bytes, size_t count, mbstate_t* state) noexcept {
  return CPPC_NEXT(mbsnrtowcs)(letters, text, bytes, count, kept(state, &Own::mbsnrtowcs));
}

size_t wcsrtombs(char* text, const wchar_t** letters, size_t bytes, mbstate_t* state) noexcept {
  return CPPC_NEXT(wcsrtombs)(text, letters, bytes, kept(state, &Own::wcsrtombs));
}

size_t wcsnrtombs(char* text, const wchar_t** letters, size_t count, size_t bytes, mbstate_t* state) noexcept {
  return CPPC_NEXT(wcsnrtombs)(text, letters, count, bytes, kept(state, &Own::wcsnrtombs));
}

size_t mbrtoc16(char16_t* letter, const char* text, size_t bytes, mbstate_t* state) noexcept {
  return CPPC_NEXT(mbrtoc16)(letter, text, bytes, kept(state, &Own::mbrtoc16));
}

size_t c16rtomb(char* text, char16_t letter, mbstate_t* state) noexcept {
  return CPPC_NEXT(c16rtomb)(text, letter, kept(state, &Own::c16rtomb));
}

size_t mbrtoc32(char32_t* letter, const char* text, size_t bytes, mbstate_t* state) noexcept {
  return CPPC_NEXT(mbrtoc32)(letter, text, bytes, kept(state, &Own::mbrtoc32));
}

}  // extern "C"

#pragma GCC visibility pop
