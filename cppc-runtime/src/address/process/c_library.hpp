/// What functions of the C library remember in its own memory: where strtok() and getopt() are, hsearch()'s table, the
/// locale, results that they give pointers to; locales with a name: named_locales.hpp. In program time libcppc's
/// functions come before these, and have their memory in the program's, so that pointers to it stay good as well.
///
/// Not here: random numbers (c_library/random.hpp). Left out: mblen(), mbtowc() and wctomb() without a state of the
/// caller's, since no encoding that Linux uses has shift states, and what is left of a character that mbrtowc(), told
/// nothing, has read half of. Other results in the C library's memory (getpwnam(), gethostbyname(), localeconv() ...)
/// are found as addresses that lead out of the program, but for those on its stack alone.
#pragma once

#include "bytes.hpp"
#include "cppc/status.h"

namespace cppc::address::c_library {

/// Around a stop, in the main thread: the runtime works in the process's locale, and the program in its own.
void hold();
void release();

/// CPPC_ERR_UNSUPPORTED, logged, between the first and the last call of getopt(), and when the main thread has a locale
/// of its own that is not in the program's memory. The program is held.
cppc_status write(ByteWriter& writer);

/// Sets the locale, too: CPPC_ERR_UNSUPPORTED, logged by name, when it is not installed here.
cppc_status prepare(ByteReader& reader);

/// After the environment has been set, which the time zone is taken from.
void apply();

}  // namespace cppc::address::c_library
