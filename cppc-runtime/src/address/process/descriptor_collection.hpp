/// What a program has open, as it is written to an image.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "address/process/deleted_file.hpp"
#include "address/process/descriptor_table.hpp"
#include "address/process/file_locks.hpp"
#include "address/process/named_file.hpp"
#include "bytes.hpp"
#include "cppc/status.h"

namespace cppc::address::descriptors {

enum class Kind : std::uint8_t { none, standard, file, deleted };

struct Opened {
  Kind kind = Kind::none;
  int number = -1;  ///< the first that leads to it; of Kind::standard: 0, 1 or 2
  NamedFile file;
  int flags = 0;
  std::int64_t offset = 0;
  std::vector<FileLock> locks;
  std::int64_t written_size = -1;  ///< of a regular file that the program may write to; else negative
  DeletedFile deleted;             ///< of Kind::deleted
};

struct Number {
  int number;
  bool closes_on_exec;
  std::uint32_t opened;  ///< index of what it leads to, or Collection::none()
};

/// For messages.
std::string label(int number, const std::string& name);

/// Collects what is to be written, one number after the other. Errors are logged.
class Collection {
 public:
  cppc_status add(int number);
  void write(ByteWriter& out) const;

  /// Instead of an index, for a number that is closed.
  static constexpr std::uint32_t none() { return ~std::uint32_t{0}; }
  [[nodiscard]] const std::vector<Opened>& opened() const { return opened_; }

 private:
  cppc_status describe(int number, Description description, Opened& opened);
  cppc_status describe_deleted(int number, const std::string& name, const struct stat& state, bool created,
                               Opened& opened);

  std::vector<Opened> opened_;
  std::vector<Number> numbers_;
  std::map<Description, std::uint32_t> indices_;
  std::set<std::pair<dev_t, ino_t>> deleted_;
};

}  // namespace cppc::address::descriptors
