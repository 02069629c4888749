/// Process-wide state that is made at its first use and never destroyed: the program may call in from its exit
/// handlers.
#pragma once

#include <cstddef>
#include <new>

namespace cppc {

template <typename T>
class NeverDestroyed {
 public:
  NeverDestroyed() { new (storage_) T; }
  NeverDestroyed(const NeverDestroyed&) = delete;
  NeverDestroyed& operator=(const NeverDestroyed&) = delete;
  T& operator*() { return *std::launder(reinterpret_cast<T*>(storage_)); }

 private:
  alignas(T) std::byte storage_[sizeof(T)];
};

}  // namespace cppc
