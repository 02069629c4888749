/// The functions that libcppc stands in front of: those of its name that come next, the C library's or a tool's.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace cppc::address {

template <std::size_t n>
struct FunctionName {
  consteval FunctionName(const char (&text)[n]) { std::copy_n(text, n, characters); }
  char characters[n];
};

/// Looked up when libcppc is loaded, so that a signal handler never has to; before that at the first call. Any thread.
template <FunctionName name, class Function>
class Next {
 public:
  static Function* get() {
    (void)&found_early_;
    Function* function = found_.load(std::memory_order_relaxed);
    return function != nullptr ? function : find();
  }

 private:
  static Function* find() {
    auto* function = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name.characters));
    found_.store(function, std::memory_order_relaxed);
    return function;
  }

  static constinit inline std::atomic<Function*> found_{nullptr};
  static inline const bool found_early_ = find() != nullptr;
};

/// For its own function of that name, whose type it takes.
template <FunctionName name, class Function>
Function* next(Function*) {
  return Next<name, Function>::get();
}

}  // namespace cppc::address

#define CPPC_NEXT(name) (cppc::address::next<#name>(&::name))
