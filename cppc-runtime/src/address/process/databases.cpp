/// Functions of the C library that look something up, in files of the system or by the network, and give out a pointer
/// to what they have found: their memory is the program's (c_library_state.hpp). What the C library itself opens and
/// keeps for that is the process's.
#undef _FORTIFY_SOURCE

#include <arpa/inet.h>
#include <ftw.h>
#include <grp.h>
#include <netdb.h>
#include <pwd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "address/process/c_library_state.hpp"
#include "address/process/next.hpp"
#include "address/process/program_memory.hpp"
#include "address/program_time.hpp"

namespace cppc::address::c_library {

namespace {

/// Gives the record more memory, until it is enough.
template <class Record, class LookUp>
Record* found(Found<Record>& place, LookUp look_up) {
  constexpr std::size_t first = 1024, most = std::size_t{1} << 20;
  for (;;) {
    if (place.memory == nullptr) {
      place.bytes = std::max(first, place.bytes);
      place.memory = static_cast<char*>(allocate_for_program(place.bytes));
    }
    Record* record = nullptr;
    int status = 0;
    {
      const OutsideProgram outside;
      status = look_up(&place.record, place.memory, place.bytes, &record);
    }
    if (status != ERANGE || place.bytes >= most) {
      if (status != 0) errno = status;
      return record;
    }
    const InsideProgram inside;
    std::free(place.memory);
    place.memory = nullptr;
    place.bytes *= 2;
  }
}

/// One of the functions that go on from record to record: the place is the process's.
template <class Function>
auto next_record(Function* function) {
  const bool programs = program_time;
  const OutsideProgram outside;
  auto* const record = function();
  if (programs) state().reads_database = record != nullptr;
  return record;
}

template <class Function, class... Arguments>
void set_place(Function* function, Arguments... arguments) {
  const bool programs = program_time;
  const OutsideProgram outside;
  function(arguments...);
  if (!programs) return;
  if (auto* const known = find_root<CLibraryState>(Root::c_library)) known->reads_database = false;
}

/// While it calls the program's function.
class Walk {
 public:
  Walk() {
    if (counts_) ++state().walks;
  }
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;
  ~Walk() {
    if (counts_) --state().walks;
  }

 private:
  const bool counts_ = program_time;
};

}  // namespace

}  // namespace cppc::address::c_library

using namespace cppc::address;
using namespace cppc::address::c_library;

#pragma GCC visibility push(default)

extern "C" {

passwd* getpwuid(uid_t user) {
  if (!program_time) return CPPC_NEXT(getpwuid)(user);
  return found(state().user, [user](auto... place) { return getpwuid_r(user, place...); });
}

passwd* getpwnam(const char* name) {
  if (!program_time) return CPPC_NEXT(getpwnam)(name);
  return found(state().user, [name](auto... place) { return getpwnam_r(name, place...); });
}

group* getgrgid(gid_t number) {
  if (!program_time) return CPPC_NEXT(getgrgid)(number);
  return found(state().group_of_users, [number](auto... place) { return getgrgid_r(number, place...); });
}

group* getgrnam(const char* name) {
  if (!program_time) return CPPC_NEXT(getgrnam)(name);
  return found(state().group_of_users, [name](auto... place) { return getgrnam_r(name, place...); });
}

hostent* gethostbyname(const char* name) {
  if (!program_time) return CPPC_NEXT(gethostbyname)(name);
  return found(state().host, [name](auto... place) { return gethostbyname_r(name, place..., &h_errno); });
}

hostent* gethostbyname2(const char* name, int family) {
  if (!program_time) return CPPC_NEXT(gethostbyname2)(name, family);
  return found(state().host, [=](auto... place) { return gethostbyname2_r(name, family, place..., &h_errno); });
}

hostent* gethostbyaddr(const void* address, socklen_t bytes, int family) {
  if (!program_time) return CPPC_NEXT(gethostbyaddr)(address, bytes, family);
  return found(state().host,
               [=](auto... place) { return gethostbyaddr_r(address, bytes, family, place..., &h_errno); });
}

servent* getservbyname(const char* name, const char* protocol) {
  if (!program_time) return CPPC_NEXT(getservbyname)(name, protocol);
  return found(state().service, [=](auto... place) { return getservbyname_r(name, protocol, place...); });
}

servent* getservbyport(int port, const char* protocol) {
  if (!program_time) return CPPC_NEXT(getservbyport)(port, protocol);
  return found(state().service, [=](auto... place) { return getservbyport_r(port, protocol, place...); });
}

protoent* getprotobyname(const char* name) {
  if (!program_time) return CPPC_NEXT(getprotobyname)(name);
  return found(state().protocol, [name](auto... place) { return getprotobyname_r(name, place...); });
}

protoent* getprotobynumber(int number) {
  if (!program_time) return CPPC_NEXT(getprotobynumber)(number);
  return found(state().protocol, [number](auto... place) { return getprotobynumber_r(number, place...); });
}

char* inet_ntoa(in_addr address) noexcept {
  if (!program_time) return CPPC_NEXT(inet_ntoa)(address);
  auto& text = state().internet_address;
  return const_cast<char*>(inet_ntop(AF_INET, &address, text.data(), text.size()));
}

passwd* getpwent() { return next_record(CPPC_NEXT(getpwent)); }
group* getgrent() { return next_record(CPPC_NEXT(getgrent)); }
hostent* gethostent() { return next_record(CPPC_NEXT(gethostent)); }
servent* getservent() { return next_record(CPPC_NEXT(getservent)); }
protoent* getprotoent() { return next_record(CPPC_NEXT(getprotoent)); }

char* getusershell() noexcept { return next_record(CPPC_NEXT(getusershell)); }

void setpwent() { set_place(CPPC_NEXT(setpwent)); }
void setgrent() { set_place(CPPC_NEXT(setgrent)); }
void sethostent(int stay_open) { set_place(CPPC_NEXT(sethostent), stay_open); }
void setservent(int stay_open) { set_place(CPPC_NEXT(setservent), stay_open); }
void setprotoent(int stay_open) { set_place(CPPC_NEXT(setprotoent), stay_open); }

void setusershell() noexcept { set_place(CPPC_NEXT(setusershell)); }
void endusershell() noexcept { set_place(CPPC_NEXT(endusershell)); }

void endpwent() { set_place(CPPC_NEXT(endpwent)); }
void endgrent() { set_place(CPPC_NEXT(endgrent)); }
void endhostent() { set_place(CPPC_NEXT(endhostent)); }
void endservent() { set_place(CPPC_NEXT(endservent)); }
void endprotoent() { set_place(CPPC_NEXT(endprotoent)); }

int ftw(const char* path, __ftw_func_t visit, int descriptors) {
  const Walk walk;
  return CPPC_NEXT(ftw)(path, visit, descriptors);
}

int ftw64(const char* path, __ftw64_func_t visit, int descriptors) {
  const Walk walk;
  return CPPC_NEXT(ftw64)(path, visit, descriptors);
}

int nftw(const char* path, __nftw_func_t visit, int descriptors, int flags) {
  const Walk walk;
  return CPPC_NEXT(nftw)(path, visit, descriptors, flags);
}

int nftw64(const char* path, __nftw64_func_t visit, int descriptors, int flags) {
  const Walk walk;
  return CPPC_NEXT(nftw64)(path, visit, descriptors, flags);
}

}  // extern "C"

#pragma GCC visibility pop
