#include "address/process/c_library_settings.hpp"

#include <libintl.h>
#include <pthread.h>
#include <regex.h>
#include <signal.h>
#include <syslog.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "address/process/libraries.hpp"
#include "address/process/next.hpp"
#include "address/program_time.hpp"
#include "log.hpp"
#include "never_destroyed.hpp"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // programs may still call siginterrupt()

extern "C" {
using ForkHandler = void();
int __register_atfork(ForkHandler* prepare, ForkHandler* parent, ForkHandler* child, void* object) noexcept;
// In no header of this standard, but there for programs of earlier ones.
char* re_comp(const char* pattern);
}

namespace cppc::address::c_library_settings {

namespace {

struct SystemLog {
  std::uint64_t identity = 0;  ///< the text stays the program's
  std::int32_t options = 0, facility = 0;
};

struct ForkHandlers {
  std::uint64_t prepare = 0, parent = 0, child = 0;
};

struct Settings {
  std::optional<SystemLog> system_log;                    ///< while it is open
  std::map<std::string, std::string> directories, codes;  ///< by domain of messages
  std::map<int, bool> interrupts;                         ///< by signal
  std::vector<ForkHandlers> fork_handlers;                ///< of the program, in the order in which it named them
  std::optional<std::string> pattern;                     ///< of re_comp()
};

/// What the C library can be asked about.
struct Asked {
  std::int32_t log_mask = 0, cancel_state = 0, cancel_type = 0;
  std::string domain;
};

constinit std::mutex mutex;

Settings& settings() {
  static NeverDestroyed<Settings> told;
  return *told;
}

Asked& captured() {
  static NeverDestroyed<Asked> asked;
  return *asked;
}

/// Calls the C library's function, and notes what the program has told it.
auto told(auto call, auto note) {
  const bool programs = program_time && !libraries::is_loading();
  const OutsideProgram outside;
  const auto answer = call();
  if (programs) {
    const std::lock_guard lock(mutex);
    note(settings(), answer);
  }
  return answer;
}

Asked ask() {
  Asked asked{.log_mask = setlogmask(0), .domain = textdomain(nullptr)};
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &asked.cancel_state);
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &asked.cancel_type);
  pthread_setcanceltype(asked.cancel_type, nullptr);
  pthread_setcancelstate(asked.cancel_state, nullptr);
  return asked;
}

void write(const std::map<std::string, std::string>& texts, ByteWriter& writer) {
  writer.u64(texts.size());
  for (const auto& [name, value] : texts) {
    writer.text(name);
    writer.text(value);
  }
}

std::map<std::string, std::string> read_texts(ByteReader& reader) {
  std::map<std::string, std::string> texts;
  for (std::uint64_t left = reader.count(2 * sizeof(std::uint64_t)); left > 0 && reader.ok(); --left) {
    std::string name(reader.text());
    texts[std::move(name)] = reader.text();
  }
  return texts;
}

template <class Function>
std::uint64_t number(Function* function) {
  return reinterpret_cast<std::uint64_t>(function);
}

ForkHandler* handler(std::uint64_t number) { return reinterpret_cast<ForkHandler*>(number); }

void open_log(const char* identity, int options, int facility) { CPPC_NEXT(openlog)(identity, options, facility); }

void register_handlers(const ForkHandlers& handlers) {
  // Null: of the program itself, which no dlclose() takes away.
  if (CPPC_NEXT(__register_atfork)(handler(handlers.prepare), handler(handlers.parent), handler(handlers.child),
                                   nullptr) != 0)
    die(CPPC_ERR_MEMORY, "no memory for the program's handlers of fork()");
}

}  // namespace

cppc_status write(ByteWriter& writer) {
  const Asked asked = ask();
  for (const std::int32_t value : {asked.log_mask, asked.cancel_state, asked.cancel_type}) writer.i32(value);
  writer.text(asked.domain);
  const std::lock_guard lock(mutex);
  const Settings& all = settings();
  writer.u8(all.system_log.has_value());
  if (all.system_log) {
    writer.u64(all.system_log->identity);
    writer.i32(all.system_log->options);
    writer.i32(all.system_log->facility);
  }
  write(all.directories, writer);
  write(all.codes, writer);
  writer.u64(all.interrupts.size());
  for (const auto& [number, interrupts] : all.interrupts) {
    writer.i32(number);
    writer.u8(interrupts);
  }
  writer.u64(all.fork_handlers.size());
  for (const ForkHandlers& one : all.fork_handlers)
    for (const std::uint64_t function : {one.prepare, one.parent, one.child}) writer.u64(function);
  writer.u8(all.pattern.has_value());
  writer.text(all.pattern.value_or(""));
  return CPPC_OK;
}

cppc_status prepare(ByteReader& reader) {
  Asked& asked = captured();
  for (std::int32_t* value : {&asked.log_mask, &asked.cancel_state, &asked.cancel_type}) *value = reader.i32();
  asked.domain = reader.text();
  Settings& all = settings();
  all = {};
  if (reader.u8() != 0) {
    auto& log = all.system_log.emplace();
    log.identity = reader.u64();
    log.options = reader.i32();
    log.facility = reader.i32();
  }
  all.directories = read_texts(reader);
  all.codes = read_texts(reader);
  for (std::uint64_t left = reader.count(sizeof(std::int32_t) + 1); left > 0 && reader.ok(); --left) {
    const int number = reader.i32();
    all.interrupts[number] = reader.u8() != 0;
  }
  all.fork_handlers.resize(reader.count(sizeof(ForkHandlers)));
  for (ForkHandlers& one : all.fork_handlers)
    for (std::uint64_t* function : {&one.prepare, &one.parent, &one.child}) *function = reader.u64();
  const bool has_pattern = reader.u8() != 0;
  std::string pattern(reader.text());
  if (has_pattern) all.pattern = std::move(pattern);
  return reader.ok() ? CPPC_OK : CPPC_ERR_IMAGE;
}

void apply() {
  const Settings& all = settings();
  if (const auto& log = all.system_log)
    open_log(reinterpret_cast<const char*>(log->identity), log->options, log->facility);
  setlogmask(captured().log_mask);
  for (const auto& [domain, directory] : all.directories) CPPC_NEXT(bindtextdomain)(domain.c_str(), directory.c_str());
  for (const auto& [domain, code] : all.codes) CPPC_NEXT(bind_textdomain_codeset)(domain.c_str(), code.c_str());
  textdomain(captured().domain.c_str());
  for (const auto& [number, interrupts] : all.interrupts) CPPC_NEXT(siginterrupt)(number, interrupts ? 1 : 0);
  for (const ForkHandlers& one : all.fork_handlers) register_handlers(one);
  if (all.pattern) CPPC_NEXT(re_comp)(all.pattern->c_str());
  pthread_setcanceltype(captured().cancel_type, nullptr);
  pthread_setcancelstate(captured().cancel_state, nullptr);
}

}  // namespace cppc::address::c_library_settings

using namespace cppc::address;
using namespace cppc::address::c_library_settings;

#pragma GCC visibility push(default)

extern "C" {

void openlog(const char* identity, int options, int facility) {
  told([&] { return open_log(identity, options, facility), true; },
       [&](Settings& all, bool) {
         all.system_log = SystemLog{number(identity), options, facility};
       });
}

void closelog() {
  told([] { return CPPC_NEXT(closelog)(), true; }, [](Settings& all, bool) { all.system_log.reset(); });
}

char* bindtextdomain(const char* domain, const char* directory) noexcept {
  return told([&] { return CPPC_NEXT(bindtextdomain)(domain, directory); },
              [&](Settings& all, const char* bound) {
                if (bound != nullptr && directory != nullptr) all.directories[domain] = directory;
              });
}

char* bind_textdomain_codeset(const char* domain, const char* code) noexcept {
  return told([&] { return CPPC_NEXT(bind_textdomain_codeset)(domain, code); },
              [&](Settings& all, const char* bound) {
                if (bound != nullptr && code != nullptr) all.codes[domain] = code;
              });
}

int siginterrupt(int number, int interrupts) noexcept {
  return told([&] { return CPPC_NEXT(siginterrupt)(number, interrupts); },
              [&](Settings& all, int failed) {
                if (failed == 0) all.interrupts[number] = interrupts != 0;
              });
}

// Behind pthread_atfork(). Handlers of libraries come again with these, by their constructors.
int __register_atfork(ForkHandler* prepare, ForkHandler* parent, ForkHandler* child, void* object) noexcept {
  return told([&] { return CPPC_NEXT(__register_atfork)(prepare, parent, child, object); },
              [&](Settings& all, int failed) {
                if (failed == 0 && object == nullptr)
                  all.fork_handlers.push_back({number(prepare), number(parent), number(child)});
              });
}

char* re_comp(const char* pattern) {
  return told([&] { return CPPC_NEXT(re_comp)(pattern); },
              [&](Settings& all, const char* wrong) {
                if (wrong == nullptr && pattern != nullptr) all.pattern = pattern;
              });
}

}  // extern "C"

#pragma GCC visibility pop
