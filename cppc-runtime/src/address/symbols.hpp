/// Tables of the dynamic linker's in an object that is loaded. Does not allocate; before the first constructor, too.
#pragma once

#include <link.h>

namespace cppc::address {

/// `place` as an entry of the dynamic section has it: an address, or in some objects what lies so far from the base.
template <class T>
const T* dynamic_table(ElfW(Addr) base, ElfW(Addr) place) {
  return reinterpret_cast<const T*>(place < base ? base + place : place);
}

/// A function or variable that the object defines for others; null if it defines none of this name.
const ElfW(Sym) * find_symbol(ElfW(Addr) base, const ElfW(Dyn) * dynamic, const char* name);

}  // namespace cppc::address
