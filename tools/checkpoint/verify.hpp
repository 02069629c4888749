/// Whether a checkpoint is as it was written.
#pragma once

#include <string>
#include <vector>

#include "store.hpp"

namespace cppc::checkpoint {

/// Which files are missing, of another size or another image's: a sentence for each. Reads no more of them than their
/// heads.
std::vector<std::string> missing_parts(const Checkpoint& checkpoint);

/// What is wrong with its files, every byte of which is read: a sentence for each file that is not as it was written.
/// Empty: nothing. The reader of images logs what it finds besides.
std::vector<std::string> damage(const Checkpoint& checkpoint);

}  // namespace cppc::checkpoint
