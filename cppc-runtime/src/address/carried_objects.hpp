/// The executable and the shared libraries whose data is part of the program's state: what the program is linked with,
/// but for the C library, MPI, libcppc, and what these need themselves. Those belong to the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "cppc/status.h"

namespace cppc::address {

struct CarriedObject {
  std::string name;  ///< of its file; of the executable empty
  std::uintptr_t base = 0;
  std::vector<std::span<std::byte>> data;     ///< what the program writes to, by rising address: without the dynamic
                                              ///< linker's tables and without variables of objects that are not carried
  std::vector<std::span<std::byte>> zeroed;   ///< within `data`, but for such variables: pages of no file, which are
                                              ///< zero until somebody writes to them
  std::span<std::byte> thread_data;           ///< the calling thread's; empty if it has none
  std::span<const std::byte> thread_initial;  ///< what it begins with, in all threads; the rest is zero
  bool openmp = false;                        ///< OpenMP's library
  bool of_main_thread = false;                ///< other threads' data of the same kind is not carried
  bool at_start = true;                       ///< it was loaded when the process started
};

/// Those that were loaded when the process started, the executable first, and those that the program has opened. By the
/// thread that runs main. Memory stays valid until the program closes one.
std::vector<CarriedObject> carried_objects();

/// Whether the object with this base address was loaded when the process started, or opened by the program, and is
/// carried, or the system's, or MPI's: the program finds it in another process as it was.
bool is_in_every_process(std::uintptr_t base);

/// The program has opened the object with this base address by dlopen(): it is carried from now on, with what it needs.
/// False: every process has it from its start. Like the next four not for several threads at once.
bool note_opened_object(std::uintptr_t base);

/// Whether it was loaded when the process started, or when the program last opened or closed one.
bool is_known(std::uintptr_t base);

/// The dynamic linker's number of the thread-local variables of the object with this base address; 0: it has none.
std::size_t thread_module_of(std::uintptr_t base);

/// The program has closed one: those that are no longer loaded are not carried any more.
void forget_closed_objects();

struct OpenedAndNotCarried {
  std::string path;
  std::string reason;  ///< as the end of "it ..."
};

/// Of what the program has opened, and what that needs.
std::vector<OpenedAndNotCarried> opened_and_not_carried();

/// Whether the executable is linked with a library whose file's name begins so, itself or by way of others. At any time
/// after all libraries have been loaded; asks for memory.
bool program_needs(std::string_view library);

/// Whether the executable, or a library that is carried, calls this function of another library. Asks for memory.
bool program_calls(std::string_view function);

/// A function of another allocator's library (jemalloc, tcmalloc, mimalloc) that the program calls and libcppc does not
/// stand in front of, and the library: what it gives is not carried. Empty: none. Asks for memory.
std::string call_of_other_allocator();

/// From a constructor of a library, before main: whether the code at `return_address` is a carried object's. Does not
/// allocate in the region, and may be called by malloc().
bool is_carried_code(const void* return_address);

/// Whether the question before is being answered for the first time: what is asked for meanwhile is libcppc's own.
bool reads_startup_code();

/// Whether code of a carried object lies there, but that of OpenMP, which starts and ends threads. From the second call
/// on safe in signal handlers.
bool is_computing_code(const void* address);

/// Whether it is OpenMP's, of any that is loaded.
bool is_openmp_code(const void* address);

/// Libraries have been started: remembers what is loaded now. Once, before anything is loaded by dlopen().
void note_objects_at_start();

}  // namespace cppc::address
