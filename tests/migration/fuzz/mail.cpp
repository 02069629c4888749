/// What agents and ranks leave for each other: how a process was started, whom a replacement replaces, the control
/// block.
#include <spdlog/spdlog.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "agent/recipe.hpp"
#include "assignment.hpp"
#include "control_block.hpp"
#include "fuzz.hpp"

namespace {

using namespace cppc::migration;
using cppc::fuzz::Bytes;
using cppc::fuzz::require;

enum Part : std::uint8_t { recipe, assignment, control, parts };

Bytes bytes_of_control_block(const ControlBlock& one) {
  Bytes bytes(static_cast<std::size_t>(lseek(one.descriptor(), 0, SEEK_END)));
  require(pread(one.descriptor(), bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  return bytes;
}

void try_recipe(std::span<const std::byte> bytes) {
  const auto decoded = Recipe::decode(bytes);
  if (!decoded) return;
  const auto again = Recipe::decode(decoded->encode());
  require(again && again->arguments == decoded->arguments && again->environment == decoded->environment);
}

void try_assignment(std::span<const std::byte> bytes) {
  const auto decoded = Assignment::decode(std::string(cppc::fuzz::text_of(bytes)));
  if (decoded) require(Assignment::decode(decoded->encode()).has_value());
}

/// As a rank opens that of its agent.
void try_control_block(std::span<const std::byte> bytes) {
  const int file = memfd_create("fuzz", MFD_CLOEXEC);
  require(file >= 0 && write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  const auto opened = ControlBlock::open(getpid(), file);
  close(file);
  if (!opened) return;
  volatile int sum = 0;
  for (const int join : opened->joins()) sum = sum ^ join;
  for (int rank = 0; rank < opened->ranks(); ++rank) opened->slot(rank).destination.write(std::array{std::byte{1}});
}

}  // namespace

namespace cppc::fuzz {

std::vector<Bytes> seeds() {
  const Recipe one{"/bin/app",
                   "of its own",
                   "/home",
                   std::vector<std::string>{"app", "-n", ""},
                   {"PATH=/bin", "OMPI_COMM_WORLD_RANK=1", "EMPTY="}};
  const Assignment other{.rank = 2, .ranks = 5, .agent_pid = 4711, .control = 7, .page = 8};
  auto shared = ControlBlock::create(2, 3).value();
  shared.command(Action::join, std::array{1, 2});
  return {with(Part::recipe, one.encode()), with(Part::assignment, bytes_of(other.encode())),
          with(Part::control, bytes_of_control_block(shared))};
}

}  // namespace cppc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  spdlog::set_level(spdlog::level::off);
  if (size == 0) return 0;
  const auto bytes = std::as_bytes(std::span(data, size)).subspan(1);
  constexpr std::array attempts{try_recipe, try_assignment, try_control_block};
  static_assert(attempts.size() == parts);
  attempts[data[0] % attempts.size()](bytes);
  return 0;
}
