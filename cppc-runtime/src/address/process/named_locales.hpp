/// Locales that the program has made itself: by newlocale() and duplocale(), as std::locale("en_US.UTF-8") does. The C
/// library reads them into memory that is the process's. The program gets copies in its own memory, which travel with
/// it.
#pragma once

#include <locale.h>

#include <cstddef>

namespace cppc::address::named_locales {

/// The same locale in the program's memory; takes `made`, which the C library has given, outside the program's time. As
/// it is: null, the locale "C", and one whose form is not the one known here (glibc 2.36), which a move then refuses.
/// Any thread.
locale_t copy(locale_t made);

/// What the C library has found out about the conversion of characters, and keeps with a locale, is the process's: not
/// while the program stands still; and anew when it goes on. Outside the program's time.
void forget_conversions();
void find_conversions();

/// Whether there are tables of a locale, which hold no addresses.
bool holds(const std::byte* place);

}  // namespace cppc::address::named_locales
