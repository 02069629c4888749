/// process_state_program NAME: runs the program's first half, gives the state to another process and ends; that runs
/// the second half. Status 2: the state could not be written; 3: or not be taken over. Only the program's heap travels.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "address/carried_objects.hpp"
#include "address/mpi_memory.hpp"
#include "address/places.hpp"
#include "address/process/descriptors.hpp"
#include "address/process/process_state.hpp"
#include "address/program_time.hpp"
#include "address/roots.hpp"
#include "address/startup_calls.hpp"
#include "program.hpp"

extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t number, size_t bytes);
void* __libc_realloc(void* memory, size_t bytes);
void __libc_free(void* memory);
}

namespace cppc::address {

/// Of the runtime's heap, which is not here.
constinit bool startup_over = true;
bool startup_call_is_programs(const void*) { return false; }
void note_mapping_of_mpi(const void*, std::size_t) {}

}  // namespace cppc::address

namespace {

using namespace cppc;
using namespace cppc::address;

/// The program's heap: never freed, all of it in one piece.
struct Heap {
  std::size_t used;
  void* kept;
};
constexpr std::size_t heap_bytes = 1 << 20;
constexpr std::size_t roots_bytes = 4096;

Heap& heap() { return *reinterpret_cast<Heap*>(kHeap); }

void* allocate(std::size_t bytes) {
  const std::size_t begin = (heap().used + 15) / 16 * 16;
  if (begin + bytes > heap_bytes) std::abort();
  heap().used = begin + bytes;
  return reinterpret_cast<std::byte*>(kHeap) + begin;
}

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  _exit(1);
}

void map(std::uintptr_t place, std::size_t bytes) {
  void* const wanted = reinterpret_cast<void*>(place);
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
  if (mmap(wanted, bytes, PROT_READ | PROT_WRITE, flags, -1, 0) != wanted) fail("mmap");
}

void map_memory() {
  map(kRoots, roots_bytes);
  map(kHeap, heap_bytes);
}

std::span<std::byte> roots() { return {reinterpret_cast<std::byte*>(kRoots), roots_bytes}; }
std::span<std::byte> whole_heap() { return {reinterpret_cast<std::byte*>(kHeap), heap_bytes}; }

void write_all(int file, std::span<const std::byte> bytes) {
  if (write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) fail("write");
}

void read_all(int file, std::span<std::byte> bytes) {
  if (read(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) fail("read");
}

const test::Program& find(const std::string& name) {
  for (const auto& look : {test::exit_program, test::system_program, test::library_program, test::thread_program})
    if (const test::Program* program = look(name)) return *program;
  fail(name.c_str());
}

void run(void (*half)()) {
  const InsideProgram inside;
  if (half != nullptr) half();
}

/// The process that takes over; it has variables of its own.
pid_t start_other(const char* name, int file) {
  const pid_t child = fork();
  if (child != 0) return child;
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  setenv("OMPI_OWN", "new", 1);
  const std::string number = std::to_string(file);
  execl("/proc/self/exe", "process_state_program", name, number.c_str(), nullptr);
  fail("execl");
}

int stop(const test::Program& program, const char* name) {
  std::fflush(stdout);  // else it would go along
  process::hold();
  ByteWriter writer;
  const cppc_status status = process::write(writer);
  if (status != CPPC_OK) {
    process::release();
    std::printf("refused: %s\n", cppc_status_text(status));
    return 2;
  }
  const int image = memfd_create("image", 0);
  write_all(image, roots());
  write_all(image, whole_heap());
  write_all(image, writer.bytes());
  lseek(image, 0, SEEK_SET);
  if (program.left != nullptr) program.left();
  std::fflush(stdout);
  const pid_t child = start_other(name, image);
  process::leave();
  int ended = 0;
  if (waitpid(child, &ended, 0) != child || !WIFEXITED(ended)) fail("waitpid");
  return WEXITSTATUS(ended);
}

int take_over(const test::Program& program, int file) {
  map_memory();
  process::start(true);
  if (program.meanwhile != nullptr) program.meanwhile();
  std::vector<std::byte> roots_then(roots_bytes), heap_then(heap_bytes);
  read_all(file, roots_then);
  read_all(file, heap_then);
  std::vector<std::byte> state(static_cast<std::size_t>(lseek(file, 0, SEEK_END)) - roots_bytes - heap_bytes);
  lseek(file, roots_bytes + heap_bytes, SEEK_SET);
  read_all(file, state);
  ByteReader reader(state);
  const cppc_status status = process::prepare(reader);
  if (status != CPPC_OK || !reader.at_end()) {
    std::printf("refused: %s\n", cppc_status_text(status));
    return 3;
  }
  std::memcpy(roots().data(), roots_then.data(), roots_bytes);
  std::memcpy(whole_heap().data(), heap_then.data(), heap_bytes);
  if (const cppc_status completed = process::complete(); completed != CPPC_OK) {
    std::printf("refused: %s\n", cppc_status_text(completed));
    return 3;
  }
  process::apply();
  process::release();
  run(program.after);
  return 0;
}

}  // namespace

#pragma GCC visibility push(default)

extern "C" {

void* malloc(size_t bytes) noexcept { return program_time ? allocate(bytes) : __libc_malloc(bytes); }

void* calloc(size_t number, size_t bytes) noexcept {
  return program_time ? allocate(number * bytes) : __libc_calloc(number, bytes);
}

void* realloc(void* memory, size_t bytes) noexcept {
  if (memory == nullptr) return malloc(bytes);
  if (!is_program_memory(memory)) return __libc_realloc(memory, bytes);
  return std::memmove(allocate(bytes), memory, bytes);  // it was shorter; what lies behind it does no harm
}

void free(void* memory) noexcept {
  if (!is_program_memory(memory)) __libc_free(memory);
}
}

#pragma GCC visibility pop

void*& cppc::test::kept() { return heap().kept; }

int main(int argc, char** argv) {
  if (argc < 2 || !kept_by_address()) return 1;
  const test::Program& program = find(argv[1]);
  note_objects_at_start();
  descriptors::note_numbers_of_process();  // those that whoever runs it has left open
  if (argc > 2) return take_over(program, std::atoi(argv[2]));
  map_memory();
  heap().used = sizeof(Heap);
  process::start(false);
  run(program.before);
  return stop(program, argv[1]);
}
