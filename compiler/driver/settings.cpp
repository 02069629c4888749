#include "settings.hpp"

#include <cstdlib>
#include <filesystem>

namespace cppc::driver {

namespace fs = std::filesystem;

namespace {

Result<void> check(const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    std::error_code failure;
    if (!fs::exists(part, failure)) return error("a part of cppc-cc is missing: " + part + "; install it again");
  }
  return {};
}

}  // namespace

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

Parts locate_parts() {
  std::error_code failure;  // without /proc the parts are missing, and are said to be
  const fs::path programs = fs::read_symlink("/proc/self/exe", failure).parent_path();
  return {programs / "cppc", (programs / CPPC_HEADERS_FROM_PROGRAMS).lexically_normal(),
          (programs / CPPC_LIBRARIES_FROM_PROGRAMS).lexically_normal()};
}

Result<void> check_library(const Parts& parts) { return check({parts.libraries + "/libcppc.so"}); }

Result<void> check_translator(const Parts& parts) { return check({parts.translator, parts.headers + "/cppc/cppc.h"}); }

std::vector<std::string> libcppc_flags(const Parts& parts) {
  return {"-Xlinker",     "--push-state", "-Xlinker", "--no-as-needed", parts.libraries + "/libcppc.so",
          "-Xlinker",     "--pop-state",  "-Xlinker", "-rpath",         "-Xlinker",
          parts.libraries};
}

}  // namespace cppc::driver
