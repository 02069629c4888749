/// What libcppc's functions in place of the C library's remember, in the program's memory.
#pragma once

#include <search.h>
#include <time.h>

#include <array>

namespace cppc::address::c_library {

/// A text that has been given out; it stays.
struct Text {
  Text* next;
  char* text;
};

struct CLibraryState {
  char* rest;          ///< what strtok() has not yet looked at
  bool scans_options;  ///< getopt() has not come to the end
  hsearch_data table;
  tm time;                     ///< of localtime() and gmtime()
  std::array<char, 128> date;  ///< of asctime() and ctime()
  Text* texts;                 ///< of strerror(), strsignal() and setlocale()
};

}  // namespace cppc::address::c_library
