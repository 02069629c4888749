#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include <wchar.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string_view>

#include "address/program_time.hpp"
#include "programs.hpp"

namespace cppc::test {

namespace {

FILE* make(const char* text) {
  FILE* file = fopen("file", "w+");
  fputs(text, file);
  rewind(file);
  return file;
}

/// Unwritten data comes out once, and by exit() alone.
void* begin_written() {
  FILE* file = fopen("file", "w");
  fprintf(file, "one, unwritten; ");
  return file;
}

void end_written(void* state) { fprintf(static_cast<FILE*>(state), "two\n"); }

void* begin_read() {
  FILE* file = make("first line\nsecond line\nthird line\n");
  std::array<char, 64> line{};
  fgets(line.data(), line.size(), file);
  return file;
}

void end_read(void* state) {
  auto* file = static_cast<FILE*>(state);
  std::array<char, 64> line{};
  fgets(line.data(), line.size(), file);
  printf("%s%ld\n", line.data(), ftell(file));
  fseek(file, 0, SEEK_END);
  fputs("fourth line\n", file);
}

void* begin_pushed_back() {
  FILE* file = make("abcdef");
  getc(file);
  ungetc('x', file);
  ungetc('y', file);
  return file;
}

void end_pushed_back(void* state) {
  std::array<char, 64> line{};
  fgets(line.data(), line.size(), static_cast<FILE*>(state));
  printf("%s\n", line.data());
}

struct Buffered {
  FILE* file;
  std::array<char, 100> buffer;
};

void* begin_own_buffer() {
  auto* state = static_cast<Buffered*>(malloc(sizeof(Buffered)));
  state->file = fopen("file", "w");
  setvbuf(state->file, state->buffer.data(), _IOFBF, state->buffer.size());
  fputs("in a buffer of its own, ", state->file);
  return state;
}

void end_own_buffer(void* state) {
  for (int i = 0; i < 30; ++i) fprintf(static_cast<Buffered*>(state)->file, "and so on %d ", i);
}

void* begin_appended() {
  fclose(make("one "));
  FILE* file = fopen("file", "a");
  fputs("two ", file);
  return file;
}

void end_appended(void* state) {
  fputs("three", static_cast<FILE*>(state));
  fclose(static_cast<FILE*>(state));
}

void* begin_wide() {
  FILE* file = fopen("file", "w+");
  fputws(L"one two three", file);
  rewind(file);
  fgetwc(file);
  ungetwc(L'O', file);
  return file;
}

void end_wide(void* state) {
  auto* file = static_cast<FILE*>(state);
  std::array<wchar_t, 64> line{};
  fgetws(line.data(), line.size(), file);
  printf("%ls %d\n", line.data(), fwide(file, 0));
  fseek(file, 0, SEEK_END);
  fputws(L" four", file);
}

void* begin_wide_unwritten() {
  FILE* file = fopen("file", "w");
  fputws(L"one ", file);
  fwprintf(stdout, L"wide output, unwritten; ");
  return file;
}

void end_wide_unwritten(void* state) {
  fputws(L"two", static_cast<FILE*>(state));
  wprintf(L"and more\n");
}

void* begin_output() {
  printf("unwritten ");
  return nullptr;
}

void end_output(void*) { printf("and more\n"); }

/// The C library asks for the buffer at the first output, here not in the program's time.
void* begin_output_of_mpi() {
  {
    const address::OutsideProgram outside;
    printf("of MPI, ");
  }
  printf("of the program, unwritten ");
  return nullptr;
}

void* begin_output_own_buffer() {
  setvbuf(stdout, static_cast<char*>(malloc(50)), _IOFBF, 50);
  printf("unwritten ");
  return nullptr;
}

void* begin_unbuffered() {
  setvbuf(stdout, nullptr, _IONBF, 0);
  printf("written ");
  return nullptr;
}

void* begin_line_buffered() {
  setvbuf(stdout, nullptr, _IOLBF, 0);
  printf("a line\nunwritten ");
  return nullptr;
}

/// The variable, which a program may set.
void* begin_variable() {
  stdout = fopen("file", "w");
  printf("to a file ");
  return nullptr;
}

void end_variable(void*) {
  printf("and more");
  fclose(stdout);
}

void* begin_reopened() {
  printf("to the output\n");
  if (freopen("file", "w", stdout) == nullptr) abort();
  printf("to a file ");
  return nullptr;
}

void* begin_closed_output() {
  fclose(stdout);
  return nullptr;
}

void end_closed_output(void*) { dprintf(2, "%d\n", printf("nowhere")); }

/// As if mpirun had: a pipe whose other end is closed, or is not.
void give_input(bool ended) {
  const address::OutsideProgram outside;
  constexpr std::string_view text = "one\ntwo\nthree\n";
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0 || write(ends[1], text.data(), text.size()) != std::ssize(text)) abort();
  dup2(ends[0], STDIN_FILENO);
  close(ends[0]);
  if (ended) close(ends[1]);
}

void* read_by_stream(bool ended) {
  give_input(ended);
  std::array<char, 64> line{};
  if (fgets(line.data(), line.size(), stdin) == nullptr) abort();
  printf("%s", line.data());
  return nullptr;
}

void* read_by_descriptor(bool ended) {
  give_input(ended);
  std::array<char, 4> line{};
  if (read(0, line.data(), line.size()) != 4) abort();
  dprintf(1, "%.4s", line.data());
  return nullptr;
}

void* begin_input() { return read_by_stream(true); }
void* begin_open_input() { return read_by_stream(false); }
void* begin_raw_input() { return read_by_descriptor(true); }
void* begin_open_raw_input() { return read_by_descriptor(false); }

void* begin_unused_input() {
  give_input(true);
  return nullptr;
}

void* begin_unused_open_input() {
  give_input(false);
  return nullptr;
}

void end_input(void*) {
  std::array<char, 64> line{};
  while (fgets(line.data(), line.size(), stdin) != nullptr) printf("%s", line.data());
  printf("end\n");
}

struct Memory {
  FILE* written;
  FILE* read;
  char* text;
  size_t bytes;
};

void* begin_memory() {
  auto* state = static_cast<Memory*>(calloc(1, sizeof(Memory)));
  state->written = open_memstream(&state->text, &state->bytes);
  fputs("a stream in memory", state->written);
  char* given = strcpy(static_cast<char*>(malloc(64)), "12 13 14");
  state->read = fmemopen(given, strlen(given), "r");
  setvbuf(state->read, nullptr, _IONBF, 0);
  int number = 0;
  if (fscanf(state->read, "%d", &number) != 1) abort();
  return state;
}

void end_memory(void* state) {
  auto& memory = *static_cast<Memory*>(state);
  fputs(", gone on with", memory.written);
  for (int i = 0; i < 1000; ++i) putc('.', memory.written);
  fclose(memory.written);
  int number = 0;
  if (fscanf(memory.read, "%d", &number) != 1) abort();
  printf("%s %zu %d\n", memory.text, memory.bytes, number);
  fclose(memory.read);
}

void* begin_held() {
  FILE* file = fopen("file", "w");
  flockfile(file);
  flockfile(file);
  fputs("held ", file);
  return file;
}

void end_held(void* state) {
  auto* file = static_cast<FILE*>(state);
  fputs("and let go", file);
  funlockfile(file);
  funlockfile(file);
  printf("%d\n", ftrylockfile(file));
}

/// The order of output does not depend on which stream was opened first.
void* begin_many() {
  auto** files = static_cast<FILE**>(malloc(3 * sizeof(FILE*)));
  for (int i = 0; i < 3; ++i) {
    files[i] = fopen("file", "a");
    fprintf(files[i], "%d ", i);
  }
  return files;
}

void end_many(void* state) {
  auto** files = static_cast<FILE**>(state);
  fclose(files[1]);
  FILE* more = fopen("file", "a");
  fputs("more ", more);
  fflush(nullptr);
}

void end_nothing(void*) {}

constexpr std::array programs{
    Program{"written", begin_written, end_written},
    Program{"read", begin_read, end_read},
    Program{"pushed_back", begin_pushed_back, end_pushed_back},
    Program{"own_buffer", begin_own_buffer, end_own_buffer},
    Program{"appended", begin_appended, end_appended},
    Program{"wide", begin_wide, end_wide},
    Program{"wide_unwritten", begin_wide_unwritten, end_wide_unwritten},
    Program{"output", begin_output, end_output},
    Program{"output_of_mpi", begin_output_of_mpi, end_output},
    Program{"output_own_buffer", begin_output_own_buffer, end_output},
    Program{"unbuffered_output", begin_unbuffered, end_output},
    Program{"line_buffered_output", begin_line_buffered, end_output},
    Program{"variable", begin_variable, end_variable},
    Program{"reopened", begin_reopened, end_output},
    Program{"closed_output", begin_closed_output, end_closed_output},
    Program{"memory", begin_memory, end_memory},
    Program{"held", begin_held, end_held},
    Program{"many", begin_many, end_many},
    Program{"input", begin_input, end_input},
    Program{"raw_input", begin_raw_input, end_input},
    Program{"unused_input", begin_unused_input, end_input},
    Program{"open_input", begin_open_input, end_input},
    Program{"open_raw_input", begin_open_raw_input, end_input},
    Program{"unused_open_input", begin_unused_open_input, end_nothing},
};

}  // namespace

std::span<const Program> stream_programs() { return programs; }

}  // namespace cppc::test
