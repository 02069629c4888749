/// What the translator is told of a program's sources.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "process.hpp"
#include "record.hpp"
#include "result.hpp"
#include "translate.hpp"
#include "wrapper.hpp"

namespace cppc::driver {

/// What compilers predefine: the translator has to see the same code.
class Macros {
 public:
  explicit Macros(Runner& runner) : runner_(runner) {}
  /// With the record's options, as lines "#define ...".
  Result<std::string> of(const Record& record);

 private:
  Runner& runner_;
  std::map<std::vector<std::string>, std::string> known_;  ///< by the command that asks for them
};

struct Sources {
  const std::vector<Record>& records;  ///< first those on the command line
  std::size_t own;                     ///< how many of them are on the command line
  Language language;                   ///< that the translator reads
  bool portable;
  const std::string& own_headers;  ///< of the compiler; empty: no directory
};

/// One for each record. By address a source that is not what was compiled is left as it is.
Result<std::vector<TranslationInput>> translation_inputs(const Sources& sources, Macros& macros);

}  // namespace cppc::driver
