/// The program and the libraries of this process, and the functions that they take from each other, as the dynamic
/// linker has found them.
#pragma once

#include <link.h>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace cppc {

class LoadedObject {
 public:
  /// Those loaded now; they must stay so while this object is used.
  static std::vector<LoadedObject> all();

  /// Of its file; of the program empty.
  [[nodiscard]] const std::string& name() const { return name_; }

  [[nodiscard]] bool holds(const void* address) const;

  /// Whether it takes a function from others whose name is `wanted`.
  [[nodiscard]] bool takes(const std::function<bool(const char* name)>& wanted) const;

  /// From now on it calls choose(name), unless that is null, where it calls a function of others. How many functions
  /// are others now; the error is for a message.
  tl::expected<std::size_t, std::string> rebind(const std::function<const void*(const char* name)>& choose) const;

 private:
  explicit LoadedObject(const dl_phdr_info& info);
  [[nodiscard]] const ElfW(Phdr) * segment(ElfW(Word) type) const;

  std::string name_;
  ElfW(Addr) base_;
  std::span<const ElfW(Phdr)> segments_;
};

}  // namespace cppc
