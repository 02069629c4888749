#include "arguments.hpp"

#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "never_destroyed.hpp"
#include "registry.hpp"

namespace cppc {

namespace {

constexpr std::string_view prefix = "(argument";  // no variable's name

/// What the registry refers to, for the life of the process.
struct Arguments {
  std::deque<std::string> names;
  std::vector<std::unique_ptr<std::byte[]>> adopted;

  const char* keep(std::string name) { return names.emplace_back(std::move(name)).c_str(); }
};

Arguments& arguments() {
  static NeverDestroyed<Arguments> instance;
  return *instance;
}

}  // namespace

void register_arguments(int argc, char** argv) {
  auto& globals = registry().globals;
  globals.push_back({"(arguments)", argv, &cppc_type_pointer, static_cast<std::size_t>(argc) + 1});
  for (int i = 0; i < argc; ++i) {
    const char* name = arguments().keep("(argument " + std::to_string(i) + ")");
    globals.push_back({name, argv[i], &cppc_type_char, std::strlen(argv[i]) + 1});
  }
}

bool is_argument(const Object& object) {
  return object.section == CPPC_SECTION_GLOBAL && object.name.starts_with(prefix);
}

void forget_arguments() {
  std::erase_if(registry().globals,
                [](const Variable& global) { return std::string_view(global.name).starts_with(prefix); });
}

std::byte* adopt_argument(const Object& object) {
  auto& memory = arguments().adopted.emplace_back(std::make_unique<std::byte[]>(object.bytes()));
  registry().globals.push_back(
      {arguments().keep(object.name), memory.get(), object.layout->type, static_cast<std::size_t>(object.count)});
  return memory.get();
}

}  // namespace cppc
