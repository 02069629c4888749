/// process_program NAME DIRECTORY [--save IMAGE [--stay] | --load IMAGE | --restart IMAGE | --pass IMAGE]
///
/// Runs one of programs/: from beginning to end; its beginning, to be gone on with elsewhere (--save) or here after all
/// (--stay); its end (--load), after the program has worked on (--restart); nothing of it, from one process to the next
/// (--pass). "status: " and a number tell on standard error how saving or loading went.
#include <sys/mman.h>
#include <sys/personality.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "address/places.hpp"
#include "address/process/closed_files.hpp"
#include "address/process/descriptors.hpp"
#include "address/process/mappings.hpp"
#include "address/process/streams.hpp"
#include "address/program_time.hpp"
#include "grown_file.hpp"
#include "programs/programs.hpp"

namespace {

using namespace cppc;
using namespace cppc::address;
using cppc::test::Program;

const Program* find_program(const std::string& name) {
  for (const auto& programs :
       {test::descriptor_programs(), test::stream_programs(), test::mapping_programs(), test::refused_programs()}) {
    const auto found = std::ranges::find_if(programs, [&](const Program& program) { return name == program.name; });
    if (found != programs.end()) return &*found;
  }
  return nullptr;
}

/// The program's memory, but what it mapped.
std::vector<std::span<std::byte>> region() {
  std::ifstream file("/proc/self/maps");
  std::vector<std::span<std::byte>> ranges;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::uintptr_t begin = 0, end = 0;
    char dash = 0;
    std::string permissions;
    fields >> std::hex >> begin >> dash >> end >> permissions;
    if (begin >= kRoots && begin < kMappings && permissions.starts_with("rw")) {
      ranges.emplace_back(reinterpret_cast<std::byte*>(begin), end - begin);
    }
  }
  return ranges;
}

cppc_status write_part(ByteWriter& image, cppc_status (*write)(ByteWriter&)) {
  ByteWriter part;
  const cppc_status status = write(part);
  image.block(part.bytes());
  return status;
}

void write_memory(ByteWriter& image, const std::vector<std::span<std::byte>>& memory) {
  image.u64(memory.size());
  for (const auto& bytes : memory) {
    image.u64(reinterpret_cast<std::uintptr_t>(bytes.data()));
    image.block(bytes);
  }
}

cppc_status save(const char* name, void* state) {
  ByteWriter image;
  image.u64(reinterpret_cast<std::uintptr_t>(state));
  for (const auto write : {mappings::write, descriptors::write, closed_files::write, streams::write}) {
    if (const cppc_status status = write_part(image, write); status != CPPC_OK) return status;
  }
  std::vector<std::span<std::byte>> mapped;
  const cppc_status status = mappings::visit([&](std::span<std::byte> bytes) { mapped.push_back(bytes); });
  write_memory(image, mapped);
  write_memory(image, region());
  const auto bytes = image.bytes();
  std::ofstream(name, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  return status;
}

void read_memory(ByteReader& image, bool map) {
  for (std::uint64_t ranges = image.count(16); ranges > 0; --ranges) {
    auto* const place = reinterpret_cast<void*>(image.u64());
    const auto bytes = image.block();
    if (map) {
      mmap(place, bytes.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    }
    std::memcpy(place, bytes.data(), bytes.size());
  }
}

cppc_status load(const char* name, void*& state) {
  std::ifstream file(name, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  file.close();
  ByteReader image(std::as_bytes(std::span(bytes)));
  state = reinterpret_cast<void*>(image.u64());
  ByteReader mapped(image.block());
  ByteReader opened(image.block());
  ByteReader closed(image.block());
  ByteReader streams(image.block());
  if (const cppc_status status = mappings::map_again(mapped); status != CPPC_OK) return status;
  if (const cppc_status status = descriptors::open_again(opened); status != CPPC_OK) return status;
  if (const cppc_status status = closed_files::cut_again(closed); status != CPPC_OK) return status;
  read_memory(image, false);
  read_memory(image, true);
  if (const cppc_status status = streams::link_again(streams); status != CPPC_OK) return status;
  if (const cppc_status status = mappings::protect_again(); status != CPPC_OK) return status;
  return mapped.at_end() && opened.at_end() && closed.at_end() && streams.at_end() && image.at_end()
             ? descriptors::lock_again()
             : CPPC_ERR_IMAGE;
}

/// As ranks are started.
void without_randomisation(char** arguments) {
  constexpr unsigned long ask = 0xffffffff;
  const int before = personality(ask);
  if ((before & ADDR_NO_RANDOMIZE) != 0) return;
  personality(static_cast<unsigned long>(before) | ADDR_NO_RANDOMIZE);
  execv("/proc/self/exe", arguments);
  std::perror("execv");
  _exit(2);
}

void tell(cppc_status status) { dprintf(STDERR_FILENO, "status: %d\n", status); }

/// To the end of the process: its exit handlers are the program's, too.
int go_on(const Program& program, void* state) {
  program_time = true;
  program.go_on(state);
  return 0;
}

/// In the process that is left.
[[noreturn]] void vanish() {
  streams::forget();
  descriptors::release_locks();
  std::fflush(nullptr);
  _exit(0);
}

/// Saves it again: `pass`.
int load_and_go_on(const Program& program, const char* image, bool pass) {
  descriptors::reserve_numbers();
  void* state = nullptr;
  cppc_status status = load(image, state);
  descriptors::release_numbers();
  if (status == CPPC_OK) status = cut_grown_files();
  tell(status);
  if (status != CPPC_OK) return 1;
  if (!pass) return go_on(program, state);
  const cppc_status saved = save(image, state);
  tell(saved);
  if (saved == CPPC_OK) vanish();
  return 1;
}

void* begin(const Program& program) {
  descriptors::reserve_numbers();
  descriptors::release_numbers();
  program_time = true;
  void* state = program.begin();
  program_time = false;
  return state;
}

}  // namespace

int main(int count, char** arguments) {
  without_randomisation(arguments);
  descriptors::note_numbers_of_process();  // those that whoever runs it has left open
  // Here, and not before: what starts with libcppc would look for the extension.
  setenv("CPPC_EXTENSION", "process_program", 1);
  setenv("CPPC_BY_ADDRESS", "1", 1);
  if (count < 3 || chdir(arguments[2]) != 0) return 2;
  const Program* program = find_program(arguments[1]);
  if (program == nullptr) return 2;
  const std::string part = count > 4 ? arguments[3] : "";
  if (part == "--restart") expect_grown_files();
  if (part == "--load" || part == "--restart" || part == "--pass")
    return load_and_go_on(*program, arguments[4], part == "--pass");
  void* state = begin(*program);
  if (count > 4) {
    const cppc_status status = save(arguments[4], state);
    tell(status);
    if (status != CPPC_OK) _exit(1);
    if (count == 5) vanish();
  }
  return go_on(*program, state);
}
