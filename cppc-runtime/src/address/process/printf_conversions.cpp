#include "address/process/printf_conversions.hpp"

#include <printf.h>

#include <cstdint>
#include <cwchar>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "address/process/libraries.hpp"
#include "address/process/next.hpp"
#include "address/program_time.hpp"
#include "log.hpp"
#include "never_destroyed.hpp"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // programs may still call register_printf_function()

namespace cppc::address::printf_conversions {

namespace {

enum class Kind : std::uint8_t { function, specifier, modifier, type };

/// As the program has called it. Its functions lie at the same places in every process.
struct Registration {
  Kind kind = Kind::function;
  std::int32_t specifier = 0;
  std::uint64_t first = 0, second = 0;  ///< functions
  std::string text;                     ///< wide characters, as bytes
  std::int32_t result = 0;
};

constinit std::mutex mutex;

std::vector<Registration>& registered() {
  static NeverDestroyed<std::vector<Registration>> registrations;
  return *registrations;
}

template <class Function>
std::uint64_t number(Function* function) {
  return reinterpret_cast<std::uint64_t>(function);
}

template <class Function>
Function* function(std::uint64_t number) {
  return reinterpret_cast<Function*>(number);
}

std::int32_t do_register(const Registration& one) {
  switch (one.kind) {
    case Kind::function:
      return CPPC_NEXT(register_printf_function)(one.specifier, function<printf_function>(one.first),
                                                 function<printf_arginfo_function>(one.second));
    case Kind::specifier:
      return CPPC_NEXT(register_printf_specifier)(one.specifier, function<printf_function>(one.first),
                                                  function<printf_arginfo_size_function>(one.second));
    case Kind::modifier:
      return CPPC_NEXT(register_printf_modifier)(reinterpret_cast<const wchar_t*>(one.text.data()));
    case Kind::type:
      return CPPC_NEXT(register_printf_type)(function<printf_va_arg_function>(one.first));
  }
  return -1;
}

/// What the C library keeps of it is not the program's. So `text` is copied here.
int answer(Registration one, const wchar_t* text = nullptr) {
  const bool programs = program_time && !libraries::is_loading();
  const OutsideProgram outside;
  const std::lock_guard lock(mutex);
  if (text != nullptr) one.text.assign(reinterpret_cast<const char*>(text), (std::wcslen(text) + 1) * sizeof *text);
  one.result = do_register(one);
  const int result = one.result;
  if (programs) registered().push_back(std::move(one));
  return result;
}

}  // namespace

cppc_status write(ByteWriter& out) {
  out.u64(registered().size());
  for (const Registration& one : registered()) {
    out.u8(static_cast<std::uint8_t>(one.kind));
    out.i32(one.specifier);
    out.u64(one.first);
    out.u64(one.second);
    out.text(one.text);
    out.i32(one.result);
  }
  return CPPC_OK;
}

cppc_status prepare(ByteReader& in) {
  for (std::uint64_t left = in.count(33); left > 0 && in.ok(); --left) {
    Registration one;
    one.kind = static_cast<Kind>(in.u8());
    one.specifier = in.i32();
    one.first = in.u64();
    one.second = in.u64();
    one.text = in.text();
    one.result = in.i32();
    const bool ends = one.text.ends_with(std::string(sizeof(wchar_t), '\0'));
    if (one.kind > Kind::type || (one.kind == Kind::modifier && !ends)) in.fail();
    if (!in.ok()) break;  // as the caller will see
    if (do_register(one) != one.result) {
      log().error(
          "conversions of printf() that the program has registered (register_printf_modifier() or its kin) do not get "
          "the same numbers in this process");
      return CPPC_ERR_UNSUPPORTED;
    }
    registered().push_back(std::move(one));
  }
  return in.ok() ? CPPC_OK : CPPC_ERR_IMAGE;
}

extern "C" {

#define CPPC_REGISTER __attribute__((visibility("default")))

CPPC_REGISTER int register_printf_function(int specifier, printf_function* convert,
                                           printf_arginfo_function* arguments) {
  return answer(
      {.kind = Kind::function, .specifier = specifier, .first = number(convert), .second = number(arguments)});
}

CPPC_REGISTER int register_printf_specifier(int specifier, printf_function convert,
                                            printf_arginfo_size_function arguments) {
  return answer(
      {.kind = Kind::specifier, .specifier = specifier, .first = number(convert), .second = number(arguments)});
}

CPPC_REGISTER int register_printf_modifier(const wchar_t* text) { return answer({.kind = Kind::modifier}, text); }

CPPC_REGISTER int register_printf_type(printf_va_arg_function take) {
  return answer({.kind = Kind::type, .first = number(take)});
}
}

}  // namespace cppc::address::printf_conversions
