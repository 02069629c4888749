/// What the C library does not tell about its streams: parts of glibc's libio.h, as of 2.36 on x86-64.
#pragma once

#include <gconv.h>
#include <gnu/libc-version.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cwchar>

static_assert(sizeof(FILE) == 216 && sizeof(void*) == 8, "streams of another C library");

namespace cppc::address::libio {

enum Flag : unsigned {
  user_buffer = 0x1,
  end_seen = 0x10,
  linked = 0x80,  ///< in the list of all streams
};
inline constexpr int mapped_file = 1;     ///< in _flags2: mode "m" of fopen()
inline constexpr int needs_lock = 128;    ///< in _flags2
inline constexpr int cookie_number = -2;  ///< as _fileno, of what fopencookie() and fmemopen() make

struct Lock {
  int lock;
  int count;
  void* owner;
};

struct Conversion {
  __gconv_step* step;
  __gconv_step_data data;
};

struct Codec {
  Conversion in;
  Conversion out;
};

struct Wide {
  std::array<wchar_t*, 11> pointers;  ///< in the order of FILE's
  mbstate_t state;
  mbstate_t last_state;
  Codec codec;
  wchar_t short_buffer;
  const void* vtable;
};
static_assert(sizeof(Wide) == 232);
inline constexpr std::size_t wide_write_base = 3, wide_write_pointer = 4, wide_buffer = 6, wide_buffer_end = 7;

struct Plus {
  FILE file;
  const void* vtable;
};

struct Cookie {
  Plus stream;
  void* cookie;
  std::array<std::uintptr_t, 4> functions;  ///< disguised with a number of the process
};

inline Wide* wide(const FILE* stream) { return reinterpret_cast<Wide*>(stream->_wide_data); }
inline Codec* codec(const FILE* stream) { return reinterpret_cast<Codec*>(stream->_codecvt); }
inline Lock* lock(const FILE* stream) { return static_cast<Lock*>(stream->_lock); }
inline const void* vtable(const FILE* stream) { return reinterpret_cast<const Plus*>(stream)->vtable; }

}  // namespace cppc::address::libio

// Exported by the C library since its first version, and of no header.
extern "C" {
extern FILE* _IO_list_all;
extern FILE _IO_2_1_stdin_;
extern FILE _IO_2_1_stdout_;
extern FILE _IO_2_1_stderr_;
void _IO_link_in(FILE* stream);
void _IO_un_link(FILE* stream);
void _IO_list_lock();
void _IO_list_unlock();
}
