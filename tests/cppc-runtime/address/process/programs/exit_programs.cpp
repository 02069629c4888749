#include <malloc.h>

#include <cstdlib>

#include "address/places.hpp"
#include "address/program_time.hpp"
#include "program.hpp"

extern "C" int __cxa_thread_atexit_impl(void (*function)(void*), void* argument, void* object) noexcept;
extern "C" int __cxa_atexit(void (*function)(void*), void* argument, void* object) noexcept;
extern "C" void __cxa_finalize(void* object);

namespace cppc::test {

namespace {

void say(const char* what) {
  std::printf("%s\n", what);
  std::fflush(stdout);
}

struct Static {
  ~Static() { say("static object"); }
};

void with_static_object() {
  static const Static object;
  (void)&object;
}

/// Registers what is a reason to call this again.
void registers_another() {
  say("registers another");
  std::atexit([] { say("registered at exit"); });
}

void register_all() {
  std::atexit([] { say("first registered"); });
  with_static_object();
  on_exit([](int status, void*) { std::printf("with status %d\n", status); }, nullptr);
  std::atexit(registers_another);
  __cxa_thread_atexit_impl([](void*) { say("thread-local object"); }, nullptr, nullptr);
  std::at_quick_exit([] { say("first at quick exit"); });
  std::at_quick_exit([] { say("second at quick exit"); });
}

const Program exits{.before = register_all, .after = [] {
                      std::atexit([] { say("last registered"); });
                      std::exit(5);
                    }};
const Program exits_quickly{.before = register_all, .after = [] { std::quick_exit(6); }};
const Program exits_twice{.before =
                              [] {
                                std::atexit([] { say("remains"); });
                                std::atexit([] { std::exit(8); });
                              },
                          .after = [] { std::exit(7); }};
int library = 0, other_library = 0;
const Program unloads{.before =
                          [] {
                            const auto function = [](void* text) { say(static_cast<const char*>(text)); };
                            __cxa_atexit(function, const_cast<char*>("of a library"), &library);
                            __cxa_atexit(function, const_cast<char*>("of another"), &other_library);
                          },
                      .after =
                          [] {
                            __cxa_finalize(&library);
                            say("unloaded");
                            std::exit(0);
                          }};
const Program foreign{.before =
                          [] {
                            const address::OutsideProgram outside;
                            std::atexit([] { say("of the process"); });
                          },
                      .after = [] { std::exit(0); }};

/// So that the C library needs memory for the next one.
void fill_the_last_list_of_exit_handlers() {
  const address::OutsideProgram outside;
  const std::size_t before = mallinfo2().uordblks;
  const auto add = [] { std::atexit([] {}); };
  while (mallinfo2().uordblks == before) add();
  for (int i = 1; i < 32; ++i) add();
}

const Program full_list{.before =
                            [] {
                              const auto& used =
                                  *reinterpret_cast<const std::size_t*>(address::kHeap);  // as region_shim has it
                              fill_the_last_list_of_exit_handlers();
                              void* volatile const first = malloc(1);  // there is no heap before
                              free(first);
                              const std::size_t before = used;
                              std::atexit([] { say("of the program"); });
                              say(used - before < 512 ? "not in the program's memory" : "in the program's memory");
                            },
                        .after = [] { std::exit(0); }};

}  // namespace

const Program* exit_program(const std::string& name) {
  if (name == "exits") return &exits;
  if (name == "full_list") return &full_list;
  if (name == "exits_quickly") return &exits_quickly;
  if (name == "exits_twice") return &exits_twice;
  if (name == "unloads") return &unloads;
  return name == "foreign" ? &foreign : nullptr;
}

}  // namespace cppc::test
