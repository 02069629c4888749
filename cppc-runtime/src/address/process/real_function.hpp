/// The functions behind those that libcppc has in place of the C library's.
#pragma once

#include <dlfcn.h>

#include <atomic>
#include <cstdlib>

namespace cppc::address {

/// Of a static variable, so that it is there before the first constructor. Looked up once: at the first call, or by
/// find(), which those that serve signal handlers call in a constructor of the library.
template <typename Function>
class RealFunction {
 public:
  constexpr explicit RealFunction(const char* name) : name_(name) {}

  template <typename... Arguments>
  auto operator()(Arguments... arguments) {
    return find()(arguments...);
  }

  Function* find() {
    Function* function = function_.load(std::memory_order_relaxed);
    if (function != nullptr) return function;
    function = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name_));
    if (function == nullptr) std::abort();  // a C library that lacks it has not loaded this one
    function_.store(function, std::memory_order_relaxed);
    return function;
  }

 private:
  const char* name_;
  std::atomic<Function*> function_{nullptr};
};

}  // namespace cppc::address
