/// What libcppc's functions in place of the C library's remember, in the program's memory.
#pragma once

#include <grp.h>
#include <netdb.h>
#include <pwd.h>
#include <search.h>
#include <time.h>
#include <wchar.h>

#include <array>
#include <cstddef>

namespace cppc::address::c_library {

/// A text that has been given out; it stays.
struct Text {
  Text* next;
  char* text;
};

/// The record that the C library has found last in one of its databases, and what it points to.
template <class Record>
struct Found {
  Record record;
  char* memory;
  std::size_t bytes;
};

struct LocaleCopy;

/// Of functions that convert characters, when the caller has no state for them.
struct Conversions {
  mbstate_t mbrtowc, mbrlen, wcrtomb, mbsrtowcs, mbsnrtowcs, wcsrtombs, wcsnrtombs, mbrtoc16, c16rtomb, mbrtoc32;
};

struct CLibraryState {
  char* rest;          ///< what strtok() has not yet looked at
  bool scans_options;  ///< getopt() has not come to the end
  hsearch_data table;
  tm time;                     ///< of localtime() and gmtime()
  std::array<char, 128> date;  ///< of asctime() and ctime()
  Text* texts;                 ///< of strerror(), strsignal(), setlocale() and nl_langinfo()
  Found<passwd> user;
  Found<group> group_of_users;
  Found<hostent> host;
  Found<servent> service;
  Found<protoent> protocol;
  std::array<char, 16> internet_address;  ///< of inet_ntoa()
  bool reads_database;                    ///< getpwent() or one of its kind has not come to the end
  LocaleCopy* locales;                    ///< named_locales.cpp
  Conversions conversions;
  int walks;  ///< calls of nftw() and ftw() that have not returned
};

/// The program's, made at its first use; any thread.
CLibraryState& state();

}  // namespace cppc::address::c_library
