/// Files with images, in a directory or in the memory of the node's keeper: how a checkpoint writes them, and a restart
/// reads them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <tl/expected.hpp>

#include "cppc/hooks.h"
#include "cppc/image.hpp"
#include "memory_snapshot.hpp"

namespace cppc::migration {

struct WrittenFile {
  std::uint64_t bytes = 0;
  std::uint64_t hash = 0;  ///< cppc/file_hash.hpp
};

/// The image of a rank in a checkpoint: a directory, or in memory, as cppc/checkpoint_files.hpp has it.
struct ImagePlace {
  std::string checkpoint;
  int rank = 0;
};

/// Seals the image, makes the file, and returns when it is on its storage. Contents are read from the snapshot; null:
/// from where they are. `go_on` is called many times with how much is done, as bytes of the file; false: it is not
/// wanted any more. The error is a sentence for people.
tl::expected<WrittenFile, std::string> write_image(image::Image& image, const MemorySnapshot* snapshot,
                                                   const ImagePlace& place,
                                                   const std::function<bool(std::uint64_t done)>& go_on);

/// Hands the image, which has to be undamaged, to the runtime: inside its `fetch`. Errors are logged.
cppc_status restore_from(const ImagePlace& place, const cppc_runtime& runtime);

}  // namespace cppc::migration
