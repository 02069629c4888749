/// The program's main() is called by the C library's __libc_start_main(), and that by the code at the executable's
/// entry. libcppc's function of that name comes in between: it makes the places of the program's state, has main() work
/// on its own stack, and makes a process that replaces another leave out the program's constructors and main().
#include "start.hpp"

#include <dlfcn.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "address/carried_objects.hpp"
#include "address/own_calls.hpp"
#include "address/preload.hpp"
#include "address/process/libraries.hpp"
#include "address/process/process_state.hpp"
#include "address/program_stack.hpp"
#include "address/program_time.hpp"
#include "address/roots.hpp"
#include "address/stack_limit.hpp"
#include "address/startup_calls.hpp"
#include "address/startup_words.hpp"
#include "extension.hpp"
#include "log.hpp"
#include "session.hpp"

namespace cppc::address {

namespace {

using Main = int (*)(int, char**, char**);
using StartMain = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);

Main program_main = nullptr;

/// What main() gets: copies in the program's own memory, which travel with it.
struct Arguments {
  int count;
  char** values;
  char** environment;
};

/// By its name, which tools show, and libraries that look for files beside it. It may have been replaced meanwhile.
void execute_again(char** argv) {
  constexpr const char* self = "/proc/self/exe";
  std::array<char, PATH_MAX> path{};
  struct stat named {
  }, own{};
  const bool same = readlink(self, path.data(), path.size() - 1) > 0 && stat(path.data(), &named) == 0 &&
                    stat(self, &own) == 0 && named.st_dev == own.st_dev && named.st_ino == own.st_ino;
  execv(same ? path.data() : self, argv);
}

bool switch_randomization_off() {
  const int present = personality(0xffffffff);
  if (present < 0 || (present & ADDR_NO_RANDOMIZE) != 0) return false;
  if (personality(static_cast<unsigned long>(present) | ADDR_NO_RANDOMIZE) < 0) return false;
  return (personality(0xffffffff) & ADDR_NO_RANDOMIZE) != 0;
}

/// Libraries lie at the same places in processes that start without randomization and with a stack of usual size, which
/// is decided when a program is executed. Agents switch randomization off; the program may have come by another way,
/// such as a script that sets it. Where the system does not allow it, a migration will tell by name what lies
/// elsewhere.
void start_with_same_places(char** argv) {
  const bool randomized = switch_randomization_off();
  const bool displaced = stack_limit::lower();
  if (!randomized && !displaced) return;
  execute_again(argv);
  die(CPPC_ERR_SYSTEM,
      std::string(
          "the program could not be executed again, with its libraries at the same places as on other nodes: ") +
          std::strerror(errno));
}

void make_places() {
  if (const cppc_status status = program_stack::map(); status != CPPC_OK) die(status, "this program cannot start");
  if (const auto started = start_heap(); !started) die(started.error(), "this program cannot start");
}

char** copied(char** strings, int count) {
  auto** const copies = static_cast<char**>(std::malloc((static_cast<std::size_t>(count) + 1) * sizeof *strings));
  if (copies == nullptr) die(CPPC_ERR_MEMORY, "no memory for the program's arguments");
  for (int i = 0; i < count; ++i) {
    copies[i] = strdup(strings[i]);
    if (copies[i] == nullptr) die(CPPC_ERR_MEMORY, "no memory for the program's arguments");
  }
  copies[count] = nullptr;
  return copies;
}

/// In the program's time.
void keep_arguments(int argc, char** argv, char** environment) {
  auto* const arguments = static_cast<Arguments*>(std::malloc(sizeof(Arguments)));
  if (arguments == nullptr) die(CPPC_ERR_MEMORY, "no memory for the program's arguments");
  *arguments = {argc, copied(argv, argc), environment};
  root(Root::arguments) = arguments;
}

int call_main(void*) {
  const auto& arguments = *static_cast<const Arguments*>(root(Root::arguments));
  return program_main(arguments.count, arguments.values, arguments.environment);
}

/// In place of main(), in a process of which the program's life begins.
int run_program(int, char**, char**) { return program_stack::run(call_main, nullptr); }

/// In place of main(), in a process in which it goes on.
int take_over(int argc, char** argv, char**) {
  libraries::open_published();
  init_mpi_of_replacement(&argc, &argv);
  std::exit(session().take_over());
}

void no_constructors() {}

}  // namespace
}  // namespace cppc::address

extern "C" __attribute__((visibility("default"))) int __libc_start_main(int (*main)(int, char**, char**), int argc,
                                                                        char** argv, void (*init)(), void (*fini)(),
                                                                        void (*rtld_fini)(), void* stack_end) {
  using namespace cppc::address;
  const auto start = reinterpret_cast<StartMain>(dlsym(RTLD_NEXT, "__libc_start_main"));
  if (kept_by_address()) {
    end_of_startup();  // what is asked for from here on is the runtime's own
    start_with_same_places(argv);
  }
  direct_own_calls_to_c_library();
  stack_limit::restore();
  preload::program_starts();
  if (!kept_by_address()) return start(main, argc, argv, init, fini, rtld_fini, stack_end);
  program_main = main;
  note_objects_at_start();
  process::end_of_constructors();
  make_places();
  note_startup_words(__builtin_frame_address(0));
  const bool replaces = cppc::extension::replaces();
  direct_own_calls_to_c_library();  // those of the extension
  char** const environment = process::start(replaces);
  if (replaces) return start(take_over, argc, argv, no_constructors, fini, rtld_fini, stack_end);
  program_time = true;
  keep_arguments(argc, argv, environment);
  return start(run_program, argc, argv, init, fini, rtld_fini, stack_end);
}
