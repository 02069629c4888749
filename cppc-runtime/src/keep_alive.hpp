/// For work on many objects, while which somebody waits for a sign of life.
#pragma once

#include <cstddef>

namespace cppc {

class KeepAlive {
 public:
  KeepAlive() = default;
  /// `call` may be null. It gets `context`.
  KeepAlive(void (*call)(void* context), void* context) : call_(call), context_(context) {}

  /// After object number `object`. Calls only now and then: after work of some milliseconds.
  void operator()(std::size_t object) const {
    if (object % objects_between_calls == 0 && call_ != nullptr) call_(context_);
  }

 private:
  static constexpr std::size_t objects_between_calls = 4096;
  void (*call_)(void*) = nullptr;
  void* context_ = nullptr;
};

}  // namespace cppc
