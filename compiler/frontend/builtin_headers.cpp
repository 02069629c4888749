#include "builtin_headers.hpp"

#include <llvm/Support/MemoryBuffer.h>

#include <filesystem>
#include <map>
#include <regex>
#include <utility>

#include "read_text.hpp"

namespace cppc::frontend {

namespace {

using Headers = std::map<std::string, std::string>;  ///< texts by paths

Headers changed_headers(const std::string& resources) {
  static const std::regex question("__has_(feature|extension)\\(\\w+\\)");
  Headers changed;
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator(resources + "/include", failure)) {
    if (entry.path().extension() != ".h") continue;
    const auto text = read_text(entry.path());
    if (text && std::regex_search(*text, question))
      changed.emplace(entry.path().string(), std::regex_replace(*text, question, "0"));
  }
  return changed;
}

}  // namespace

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> without_feature_checks(const std::string& resources) {
  static const Headers headers = changed_headers(resources);
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (const auto& [path, text] : headers) memory->addFile(path, 0, llvm::MemoryBuffer::getMemBuffer(text, path));
  auto both = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::createPhysicalFileSystem().release());
  both->pushOverlay(std::move(memory));
  return both;
}

}  // namespace cppc::frontend
