#include "required.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <unordered_map>

#include "heap.hpp"
#include "log.hpp"
#include "never_destroyed.hpp"
#include "registry.hpp"

namespace cppc {

namespace {

cppc_status mismatch(const std::string& message) {
  log().error("{}: the image is of another program", message);
  return CPPC_ERR_MISMATCH;
}

bool takes(const cppc_required& required, const Object* arguments) {
  if (arguments == nullptr || required.type == nullptr) return arguments == nullptr && required.type == nullptr;
  return arguments->count == 1 && same_structure(*arguments->layout, layout_of(required.type));
}

}  // namespace

void RequiredCalls::execute(const cppc_required& required, void* arguments) {
  if (running_) return required.call(arguments);
  std::byte* copy = nullptr;
  const std::uint64_t number = heap().next_number();
  if (required.type != nullptr) {
    copy = static_cast<std::byte*>(heap().allocate(required.type, 0, required.type->size, false));
    if (copy == nullptr) throw std::bad_alloc();
    std::memcpy(copy, arguments, required.type->size);
  }
  calls_.push_back({&required, copy, copy != nullptr ? number : 0});
  running_ = true;
  required.call(arguments);
  running_ = false;
}

std::vector<StoredCall> RequiredCalls::stored() const {
  std::vector<StoredCall> stored;
  for (const Call& call : calls_) stored.push_back({call.required->name, call.number});
  return stored;
}

cppc_status RequiredCalls::restore(std::span<const StoredCall> calls, std::span<const Object> objects) {
  std::unordered_map<std::string, const Object*> blocks;  // of arguments
  for (const StoredCall& call : calls)
    if (call.arguments > 0) blocks.emplace(std::to_string(call.arguments), nullptr);
  for (const Object& object : objects) {
    if (blocks.empty() || object.section != CPPC_SECTION_HEAP) continue;
    if (const auto wanted = blocks.find(object.name); wanted != blocks.end()) wanted->second = &object;
  }
  calls_.clear();
  for (const auto& [name, number] : calls) {
    const auto& own = registry().requireds;
    const auto required = std::ranges::find(own, std::string_view(name), &cppc_required::name);
    if (required == own.end()) return mismatch("the required call " + name + "() is not in this program");
    const auto block = number > 0 ? blocks.find(std::to_string(number)) : blocks.end();
    const Object* arguments = block != blocks.end() ? block->second : nullptr;
    if ((number > 0 && arguments == nullptr) || !takes(*required, arguments)) {
      return mismatch("the required call " + name + "() takes other arguments here");
    }
    calls_.push_back({&*required, arguments != nullptr ? arguments->address : nullptr, number});
  }
  return CPPC_OK;
}

void RequiredCalls::repeat() {
  running_ = true;
  for (const auto& [required, arguments, number] : calls_) {
    // A copy again, as the next process needs them unchanged.
    const std::size_t bytes = arguments != nullptr ? required->type->size : 0;
    const auto copy = std::make_unique_for_overwrite<std::byte[]>(bytes);
    if (bytes > 0) std::memcpy(copy.get(), arguments, bytes);
    required->call(arguments != nullptr ? copy.get() : nullptr);
  }
  running_ = false;
}

RequiredCalls& required_calls() {
  static NeverDestroyed<RequiredCalls> instance;
  return *instance;
}

}  // namespace cppc
