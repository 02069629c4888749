/// Clang's own headers (stddef.h, immintrin.h), for sources in which __has_feature() is not known, as with GCC before
/// 14: they ask by it whether there are modules. There are none.
#pragma once

#include <llvm/ADT/IntrusiveRefCntPtr.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <string>

namespace cppc::frontend {

/// The files of this machine, with Clang's headers below `resources` as if they had asked and the answer was no.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> without_feature_checks(const std::string& resources);

}  // namespace cppc::frontend
