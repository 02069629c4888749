#include "address/process/library_search.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <memory>
#include <vector>

#include "address/process/next.hpp"

namespace cppc::address::libraries {

namespace {

/// Where the dynamic linker would look for it, besides the system's directories, because of who asks.
std::vector<std::string> directories_of(const void* caller) {
  Dl_info info;
  void* extra = nullptr;
  if (dladdr1(caller, &info, &extra, RTLD_DL_LINKMAP) == 0) return {};
  Dl_serinfo size{};
  if (dlinfo(extra, RTLD_DI_SERINFOSIZE, &size) != 0) return {};
  const std::unique_ptr<Dl_serinfo, decltype(&std::free)> all(static_cast<Dl_serinfo*>(std::malloc(size.dls_size)),
                                                              &std::free);
  if (all == nullptr || dlinfo(extra, RTLD_DI_SERINFOSIZE, all.get()) != 0 ||
      dlinfo(extra, RTLD_DI_SERINFO, all.get()) != 0)
    return {};
  std::vector<std::string> directories;
  for (unsigned i = 0; i < all->dls_cnt; ++i)
    if ((all->dls_serpath[i].dls_flags & LA_SER_DEFAULT) == 0) directories.emplace_back(all->dls_serpath[i].dls_name);
  return directories;
}

}  // namespace

const link_map* record_of(void* handle) {
  const link_map* map = nullptr;
  return dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0 ? map : nullptr;
}

std::string absolute(std::string path) {
  std::string directory(PATH_MAX, '\0');
  if (path.starts_with('/') || getcwd(directory.data(), directory.size()) == nullptr) return path;
  return directory.c_str() + ("/" + path);
}

bool is_open(const std::string& name) {
  void* const handle = CPPC_NEXT(dlopen)(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  return handle != nullptr && CPPC_NEXT(dlclose)(handle) == 0;
}

std::string found_for(const void* caller, const std::string& name) {
  if (name.find('/') != std::string::npos || is_open(name)) return name;
  for (std::string path : directories_of(caller))
    if (path.append("/").append(name); access(path.c_str(), R_OK) == 0) return path;
  return name;
}

}  // namespace cppc::address::libraries
