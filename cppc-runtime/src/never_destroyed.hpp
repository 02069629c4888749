/// Process-wide state that is made at its first use and never destroyed: the program may call in from its exit
/// handlers.
#pragma once

#include <cstddef>
#include <new>

namespace cppc {

template <typename T>
class NeverDestroyed {
 public:
  NeverDestroyed() : object_(new (storage_) T) {}
  NeverDestroyed(const NeverDestroyed&) = delete;
  NeverDestroyed& operator=(const NeverDestroyed&) = delete;
  T& operator*() { return *object_; }

 private:
  alignas(T) std::byte storage_[sizeof(T)];
  T* object_;
};

}  // namespace cppc
