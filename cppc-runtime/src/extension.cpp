#include "extension.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <string>

#include "cppc/hooks.h"
#include "grown_file.hpp"
#include "log.hpp"
#include "never_destroyed.hpp"
#include "session.hpp"

namespace cppc::extension {

namespace {

[[noreturn]] void abort_job(const std::string& path, const std::string& reason) {
  log().critical("the extension {} (CPPC_EXTENSION) {}: this job could not be migrated, so it does not start", path,
                 reason);
  int initialized = 0;
  PMPI_Initialized(&initialized);
  if (initialized != 0) PMPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  std::_Exit(EXIT_FAILURE);
}

bool complete(const cppc_hooks& hooks) {
  return hooks.start != nullptr && hooks.reached != nullptr && hooks.stopped != nullptr && hooks.fetch != nullptr &&
         hooks.join != nullptr && hooks.fail != nullptr && hooks.finish != nullptr;
}

struct Extension {
  std::string path;
  cppc_hooks hooks{};
};

/// The library stays loaded until the process ends.
Extension load(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) abort_job(path, std::string("cannot be loaded: ") + dlerror());
  const auto entry = reinterpret_cast<cppc_extension_entry>(dlsym(library, CPPC_EXTENSION_ENTRY));
  if (entry == nullptr) abort_job(path, "has no function " CPPC_EXTENSION_ENTRY "()");
  cppc_hooks hooks{};
  if (const cppc_status status = entry(&runtime_interface(), &hooks); status != CPPC_OK) {
    abort_job(path, std::string("refuses to work: ") + cppc_status_text(status));
  }
  if (hooks.version != CPPC_HOOKS_VERSION) {
    abort_job(path, "is of version " + std::to_string(hooks.version) + ", not " + std::to_string(CPPC_HOOKS_VERSION));
  }
  if (!complete(hooks)) abort_job(path, "does not provide every hook");
  return {path, hooks};
}

/// The one that is named, loaded when it is first asked for.
const std::optional<Extension>& extension() {
  static NeverDestroyed<std::optional<Extension>> loaded;
  const char* path = std::getenv("CPPC_EXTENSION");
  if (!*loaded && path != nullptr && *path != '\0') *loaded = load(path);
  return *loaded;
}

}  // namespace

bool replaces() { return extension() && extension()->hooks.replacement != 0; }

std::optional<Place> start() {
  if (!extension()) return std::nullopt;
  const auto& [path, hooks] = *extension();
  Place place{.replacement = hooks.replacement != 0};
  const cppc_status status = hooks.start(&place.world, &place.rank, &place.size);
  if (status != CPPC_OK && place.replacement) die(status, "this replacement cannot start");  // the job does not need it
  if (status != CPPC_OK) abort_job(path, std::string("cannot start: ") + cppc_status_text(status));
  set_log_rank(place.rank);
  if (hooks.replacement == CPPC_RESTARTS_RANK) expect_grown_files();
  session().attach(hooks, place.replacement);
  return place;
}

bool all_finalize() { return session().all_finalize(); }

void finish() { session().detach(); }

}  // namespace cppc::extension
