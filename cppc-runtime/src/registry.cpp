#include "registry.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <span>

#include "log.hpp"
#include "never_destroyed.hpp"

namespace cppc {

namespace {

template <typename T>
T member_at(const cppc_frame& frame, std::size_t offset) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(frame.shadow) + offset, sizeof value);
  return value;
}

Variable variable_of(const cppc_frame& frame, const cppc_variable& record) {
  return {.name = record.name,
          .address = member_at<void*>(frame, record.address),
          .type = record.type,
          .count = record.count > 0 ? record.count : member_at<std::size_t>(frame, record.length)};
}

void declare(const cppc_program& program) noexcept try {
  Registry& all = registry();
  for (const cppc_global& global : std::span(program.globals, program.globals_end)) {
    all.globals.push_back({global.name, global.address, global.type, global.count});
  }
  all.functions.insert(all.functions.end(), program.functions, program.functions_end);
  all.requireds.insert(all.requireds.end(), program.requireds, program.requireds_end);
  all.types.insert(all.types.end(), program.types, program.types_end);
  for (const cppc_global& constant : std::span(program.constants, program.constants_end)) {
    all.constants.push_back({constant.name, constant.address, constant.type, constant.count});
  }
} catch (const std::bad_alloc&) {
  die(CPPC_ERR_MEMORY, "no memory to register the program's variables");
}

}  // namespace

std::vector<const cppc_frame*> Registry::frames() const {
  std::vector<const cppc_frame*> frames;
  for (const cppc_frame* frame = innermost; frame != nullptr; frame = frame->caller) frames.push_back(frame);
  std::ranges::reverse(frames);
  return frames;
}

std::uint64_t Registry::bytes() const {
  std::uint64_t bytes = 0;
  for (const Variable& global : globals) bytes += global.count * global.type->size;
  for (const cppc_frame* frame = innermost; frame != nullptr; frame = frame->caller) {
    const cppc_place* place = find_place(*frame, frame->place);
    if (place == nullptr) continue;
    if (place->shadow != nullptr) bytes += place->shadow->size;
    for (const cppc_variable& record : std::span(place->variables, place->variable_count)) {
      bytes += variable_of(*frame, record).count * record.type->size;
    }
  }
  return bytes;
}

const cppc_place* find_place(const cppc_frame& frame, int place) {
  const cppc_routine& routine = *frame.routine;
  const bool known = place > 0 && static_cast<std::size_t>(place) <= routine.place_count;
  return known ? &routine.places[place - 1] : nullptr;
}

std::vector<Variable> variables_at(const cppc_frame& frame, const cppc_place& place) {
  std::vector<Variable> variables;
  for (const cppc_variable& record : std::span(place.variables, place.variable_count)) {
    variables.push_back(variable_of(frame, record));
  }
  return variables;
}

Registry& registry() {
  static NeverDestroyed<Registry> instance;
  return *instance;
}

}  // namespace cppc

void cppc_declare(const cppc_program* program) { cppc::declare(*program); }
