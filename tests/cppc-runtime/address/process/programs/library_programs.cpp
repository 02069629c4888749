#include <getopt.h>
#include <langinfo.h>
#include <locale.h>
#include <search.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include <array>
#include <cerrno>
#include <cfenv>
#include <clocale>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "program.hpp"

namespace cppc::test {

namespace {

template <typename T>
T& make_kept() {
  kept() = std::calloc(1, sizeof(T));
  return *static_cast<T*>(kept());
}

// ---- Environment ----

struct Variables {
  char *home, *put;
};

const Program environment{.before =
                              [] {
                                auto& variables = make_kept<Variables>();
                                setenv("GONE", "soon", 1);
                                setenv("SET", "by the program", 1);
                                unsetenv("GONE");
                                setenv("OMPI_OWN", "old", 1);
                                variables.home = getenv("GIVEN");
                                variables.put = static_cast<char*>(std::calloc(1, 32));
                                std::strcpy(variables.put, "PUT=before");
                                putenv(variables.put);
                              },
                          .meanwhile = [] { setenv("GONE", "not here", 1); },
                          .after =
                              [] {
                                const auto& variables = *static_cast<Variables*>(kept());
                                std::printf("kept %s, same %d\n", variables.home, getenv("GIVEN") == variables.home);
                                std::strcpy(variables.put, "PUT=after");
                                std::printf("put %s, set %s\n", getenv("PUT"), getenv("SET"));
                                std::printf("gone %d, own %s\n", getenv("GONE") == nullptr, getenv("OMPI_OWN"));
                                setenv("MORE", "than before", 1);
                                std::printf("more %s\n", getenv("MORE"));
                              }};

// ---- C library ----

struct Results {
  std::array<char, 16> text;
  tm* time;
  char *date, *error, *other_error, *signal;
};

std::array<char, 8> name{"program"}, option_a{"-a"}, option_b{"-bx"};
std::array<char*, 4> arguments{name.data(), option_a.data(), option_b.data(), nullptr};

const Program c_library{.before =
                            [] {
                              auto& results = make_kept<Results>();
                              std::strcpy(results.text.data(), "one two three");
                              std::strtok(results.text.data(), " ");
                              const time_t day = 86400;
                              results.date = ctime(&day);
                              results.time = gmtime(&day);
                              results.error = strerror(ENOENT);
                              results.other_error = strerror(EACCES);
                              results.signal = strsignal(SIGINT);
                              hcreate(8);
                              hsearch({.key = results.text.data(), .data = results.time}, ENTER);
                              while (getopt(3, arguments.data(), "ab:") != -1) {
                              }
                              std::setlocale(LC_CTYPE, "C.UTF-8");
                              volatile double negative = -0.5;
                              std::printf("%d\n", lgamma(negative) > 0);
                              errno = EXDEV;
                            },
                        .after =
                            [] {
                              const bool same_errno = errno == EXDEV;
                              const auto& results = *static_cast<Results*>(kept());
                              std::printf("strtok: %s\n", std::strtok(nullptr, " "));
                              std::printf("time: %d, %.10s\n", results.time->tm_mday, results.date);
                              std::printf("%s, %s, %s\n", results.error, results.other_error, results.signal);
                              std::printf("same place: %d\n", strerror(ENOENT) == results.error);
                              std::array<char, 4> key{"one"};
                              const ENTRY* found = hsearch({.key = key.data(), .data = nullptr}, FIND);
                              std::printf("hsearch: %d\n", found != nullptr && found->data == results.time);
                              std::printf("getopt: %d, %d\n", optind, getopt(3, arguments.data(), "ab:"));
                              std::printf("locale: %s\n", std::setlocale(LC_CTYPE, nullptr));
                              std::printf("signgam: %d, errno: %d\n", signgam, same_errno);
                            }};

const Program between_options{.before = [] { getopt(3, arguments.data(), "ab:"); }};

/// How long the letter ä is, in bytes, in the locale of now.
int length_of_letter() {
  mbstate_t state{};
  wchar_t letter = 0;
  return static_cast<int>(mbrtowc(&letter, "\xc3\xa4", 2, &state));
}

const Program own_locale{
    .before =
        [] {
          auto& locale = make_kept<locale_t>();
          locale = newlocale(LC_ALL_MASK, "C.UTF-8", nullptr);
          locale = newlocale(LC_TIME_MASK | LC_COLLATE_MASK, "C.UTF-8", locale);
          uselocale(duplocale(locale));
          std::printf("%d\n", length_of_letter());
        },
    .after =
        [] {
          auto& locale = *static_cast<locale_t*>(kept());
          std::printf("%d, %s, %s\n", length_of_letter(), nl_langinfo(CODESET), nl_langinfo_l(DAY_2, locale));
          freelocale(uselocale(locale));
          std::printf("%d, %d, %s\n", length_of_letter(), strcoll_l("a", "b", locale) < 0, nl_langinfo(CODESET));
          freelocale(uselocale(LC_GLOBAL_LOCALE) == locale ? locale : nullptr);
        }};

// ---- Floating point ----

const Program floating_point{.before =
                                 [] {
                                   std::fesetround(FE_UPWARD);
                                   std::feclearexcept(FE_ALL_EXCEPT);
                                   std::feraiseexcept(FE_DIVBYZERO);
                                   __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8000);
                                   feenableexcept(FE_INVALID);
                                 },
                             .after =
                                 [] {
                                   const int raised = std::fetestexcept(FE_ALL_EXCEPT);
                                   std::printf("upward: %d, raised: %d\n", std::fegetround() == FE_UPWARD,
                                               raised == FE_DIVBYZERO);
                                   std::printf("flushes: %d, stops: %d\n", (__builtin_ia32_stmxcsr() & 0x8000) != 0,
                                               fegetexcept() == FE_INVALID);
                                 }};

}  // namespace

const Program* library_program(const std::string& name) {
  if (name == "environment") return &environment;
  if (name == "c_library") return &c_library;
  if (name == "between_options") return &between_options;
  if (name == "own_locale") return &own_locale;
  return name == "floating_point" ? &floating_point : nullptr;
}

}  // namespace cppc::test
