/// state_program NAME VARIANT [--save N FILE] [--load FILE]
///
/// Runs one of programs/ under an extension made of files: --save writes the state at safe point N and goes on; --load
/// takes over the state of a file. "captured: " and a status tell on standard error how saving went.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bytes.hpp"
#include "programs/programs.h"
#include "session.hpp"

namespace {

using namespace cppc;

const volatile std::uint32_t ring = 1;
std::optional<std::uint64_t> save_at;
std::string save_file;
std::string load_file;

cppc_status add(const cppc_block* block, void* context) {
  auto& file = *static_cast<ByteWriter*>(context);
  if (block->bytes != block->count * block->type->size) return CPPC_ERR_ARGUMENT;
  file.u32(block->section);
  file.text(block->name);
  file.u64(block->bytes);
  file.u8(block->data == nullptr);
  if (block->data != nullptr) file.block({static_cast<const std::byte*>(block->data), block->bytes});
  return CPPC_OK;
}

int reached(std::uint64_t passed, unsigned) { return passed == save_at ? 1 : 0; }

void stopped(std::uint64_t, unsigned) {
  ByteWriter file;
  const cppc_status status = runtime_interface().capture(add, &file);
  std::fprintf(stderr, "captured: %d\n", status);
  if (status != CPPC_OK) return;
  const auto bytes = file.bytes();
  std::ofstream(save_file, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
}

std::vector<char> read_file(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

cppc_status restore_object(ByteReader& file, cppc_section section) {
  const std::string name(file.text());
  const std::uint64_t bytes = file.u64();
  const bool dead = file.u8() != 0;
  const auto data = dead ? std::span<const std::byte>() : file.block();
  if (!file.ok()) return CPPC_ERR_IMAGE;
  if (section == CPPC_SECTION_RUNTIME)
    return runtime_interface().restore_begin(data.data(), data.size(), nullptr, nullptr);
  void* place = nullptr;
  const cppc_status status = runtime_interface().restore_place(section, name.c_str(), bytes, &place);
  if (status != CPPC_OK || place == nullptr) return status;
  if (data.size() != bytes) return CPPC_ERR_IMAGE;
  std::ranges::copy(data, static_cast<std::byte*>(place));
  return CPPC_OK;
}

cppc_status fetch() {
  const auto contents = read_file(load_file);
  ByteReader file(std::as_bytes(std::span(contents)));
  while (file.ok() && !file.at_end()) {
    const auto section = static_cast<cppc_section>(file.u32());
    if (const cppc_status status = restore_object(file, section); status != CPPC_OK) return status;
  }
  return runtime_interface().restore_end();
}

cppc_status join() { return CPPC_OK; }
void fail(cppc_status status) {
  std::fprintf(stderr, "failed: %d\n", status);
  _exit(3);
}

const std::map<std::string, void (*)(const char*)> programs = {
    {"grid", run_grid},       {"lists", run_lists},         {"recursion", run_recursion}, {"functions", run_functions},
    {"blocks", run_blocks},   {"constants", run_constants}, {"refused", run_refused},     {"other", run_other},
    {"outside", run_outside}, {"places", run_places},       {"required", run_required}};

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  for (std::size_t i = 2; i < arguments.size(); ++i) {
    if (arguments[i] == "--save") {
      save_at = std::stoull(arguments.at(i + 1));
      save_file = arguments.at(i + 2);
    }
    if (arguments[i] == "--load") load_file = arguments.at(i + 1);
  }
  if (save_at || !load_file.empty()) {
    session().attach({.version = CPPC_HOOKS_VERSION,
                      .start = nullptr,
                      .reached = reached,
                      .stopped = stopped,
                      .fetch = fetch,
                      .join = join,
                      .fail = fail,
                      .finish = [] {}},
                     !load_file.empty());
    runtime_interface().watch(&ring);
  }
  programs.at(arguments.at(0))(arguments.at(1).c_str());
  session().detach();
  return 0;
}
