#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "programs.hpp"

namespace cppc::test {

namespace {

constexpr std::size_t page = 4096;

char* map(std::size_t bytes, int protection = PROT_READ | PROT_WRITE, int flags = MAP_PRIVATE | MAP_ANONYMOUS,
          int number = -1, off_t offset = 0) {
  void* memory = mmap(nullptr, bytes, protection, flags, number, offset);
  if (memory == MAP_FAILED) abort();
  return static_cast<char*>(memory);
}

std::string protection_of(const void* address) {
  std::ifstream file("/proc/self/maps");
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::uintptr_t begin = 0, end = 0;
    char dash = 0;
    std::string permissions;
    fields >> std::hex >> begin >> dash >> end >> permissions;
    const auto number = reinterpret_cast<std::uintptr_t>(address);
    if (number >= begin && number < end) return permissions;
  }
  return "none";
}

/// Large, little of it in use, with pages that may not be touched.
void* begin_anonymous() {
  char* memory = map(std::size_t{1} << 32);
  strcpy(memory + (std::size_t{1} << 31), "in the middle");
  mprotect(memory, page, PROT_NONE);
  mmap(memory + 8 * page, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  strcpy(memory + 16 * page, "hidden");
  mprotect(memory + 16 * page, page, PROT_NONE);
  return memory;
}

void end_anonymous(void* state) {
  auto* memory = static_cast<char*>(state);
  printf("%s %d\n", memory + (std::size_t{1} << 31), memory[12 * page]);
  for (const int at : {0, 1, 8, 9, 16, 17}) printf("%s ", protection_of(memory + at * page).c_str());
  mprotect(memory + 16 * page, page, PROT_READ);
  printf("%s\n", memory + 16 * page);
  char* other = map(page);
  printf("%d\n", other >= memory && other < memory + (std::size_t{1} << 32));
}

void* begin_grown() {
  char* memory = map(page);
  map(page);
  strcpy(memory, "moved");
  return mremap(memory, page, 600 * page, MREMAP_MAYMOVE);
}

void end_grown(void* state) {
  auto* memory = static_cast<char*>(state);
  printf("%s %d\n", memory, memory[599 * page]);
  memory = static_cast<char*>(mremap(memory, 600 * page, 1000 * page, MREMAP_MAYMOVE));
  printf("%s\n", memory);
  munmap(memory, 1000 * page);
}

/// A program that looks for free addresses, and keeps none.
void* begin_probed() {
  for (std::uintptr_t i = 0; i < 600; ++i) {
    auto* const place = reinterpret_cast<void*>(0x500000000000 + (i << 24));
    void* const got = mmap(place, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    munmap(got, page);
  }
  return map(page);
}

void end_probed(void* state) { printf("%d\n", *static_cast<char*>(state)); }

void* begin_shared() {
  char* memory = map(2 * page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS);
  strcpy(memory, "shared");
  return memory;
}

void end_shared(void* state) {
  auto* memory = static_cast<char*>(state);
  const pid_t child = fork();
  if (child == 0) {
    strcpy(memory + page, "by a child");
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  printf("%s %s\n", memory, memory + page);
}

int make_file() {
  const int number = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600);
  const std::string text(page + 100, 'a');
  if (write(number, text.data(), text.size()) != std::ssize(text)) abort();
  return number;
}

/// Changes are its own; the file may be gone.
void* begin_private_file() {
  const int number = make_file();
  char* memory = map(3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE, number);
  close(number);
  unlink("file");
  memory[page] = 'b';
  mprotect(memory, 3 * page, PROT_READ);
  return memory;
}

void end_private_file(void* state) {
  auto* memory = static_cast<char*>(state);
  printf("%c%c%c%d %s\n", memory[0], memory[page], memory[page + 1], memory[page + 200], protection_of(memory).c_str());
}

void* begin_shared_file() {
  const int number = make_file();
  char* memory = map(page, PROT_READ | PROT_WRITE, MAP_SHARED, number, page);
  close(number);
  memory[1] = 'b';
  return memory;
}

void end_shared_file(void* state) {
  auto* memory = static_cast<char*>(state);
  memory[2] = 'c';
  printf("%.4s %s\n", memory, protection_of(memory).c_str());
}

constexpr std::array programs{
    Program{"anonymous", begin_anonymous, end_anonymous},
    Program{"grown", begin_grown, end_grown},
    Program{"probed", begin_probed, end_probed},
    Program{"shared_memory", begin_shared, end_shared},
    Program{"private_file", begin_private_file, end_private_file},
    Program{"shared_file", begin_shared_file, end_shared_file},
};

}  // namespace

std::span<const Program> mapping_programs() { return programs; }

}  // namespace cppc::test
