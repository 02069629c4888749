#include "restore.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "arguments.hpp"
#include "bytes.hpp"
#include "handles.hpp"
#include "heap.hpp"
#include "log.hpp"

namespace cppc {

namespace {

cppc_status mismatch(const std::string& message) {
  log().error("{}: the image is of another program", message);
  return CPPC_ERR_MISMATCH;
}

std::span<std::byte> memory_of(const Object& object) {
  return {object.address, static_cast<std::size_t>(object.bytes())};
}

bool has_contents(const Object& object) { return !object.dead && object.bytes() > 0; }

}  // namespace

cppc_status Restore::begin(std::span<const std::byte> runtime_block, const KeepAlive& keep_alive, Convert convert) {
  auto block = read_runtime_block(runtime_block, keep_alive);
  if (!block) {
    log().error("the runtime's block of the image, {} bytes, is damaged or of another version", runtime_block.size());
    return CPPC_ERR_IMAGE;
  }
  block_ = std::move(*block);
  translation_ = Translation(block_.architecture, convert);
  for (Object& object : objects()) object.in_image = translation_.needed() ? object.layout : nullptr;
  ByteReader mpi(block_.mpi);
  const mpi_state::Types types{block_.types, translation_};
  const cppc_status restored = mpi_state::restore(mpi, translation_.foreign() ? &types : nullptr);
  if (restored != CPPC_OK) return restored;
  if (const cppc_status status = check_sizes(); status != CPPC_OK) return status;
  if (const cppc_status status = find_outside(); status != CPPC_OK) return status;
  find_functions();
  if (const cppc_status status = find_globals(); status != CPPC_OK) return status;
  auto memory = MemoryMap::read();
  if (!memory) return memory.error();
  memory_ = std::move(*memory);
  if (const cppc_status status = allocate_heap(keep_alive); status != CPPC_OK) return status;
  const cppc_status calls = required_calls().restore(block_.calls, objects());
  if (calls == CPPC_OK) make_landings(keep_alive);
  return calls;
}

/// Memory of another architecture may be larger.
cppc_status Restore::check_sizes() {
  constexpr std::uint64_t most = std::numeric_limits<std::ptrdiff_t>::max();
  for (const Object& object : objects()) {
    if (object.stored_bytes() <= most) continue;
    log().error("{} has {} bytes in the image, more than can be here", label(object), object.stored_bytes());
    return CPPC_ERR_MEMORY;
  }
  return CPPC_OK;
}

cppc_status Restore::find_outside() {
  if (translation_.foreign()) {
    outside_ = OutsideDecoder::of_constants(block_.modules, block_.words, block_.constants);
    return CPPC_OK;
  }
  auto outside = OutsideDecoder::make(block_.modules, block_.words);
  if (!outside) return outside.error();
  outside_ = std::move(*outside);
  return CPPC_OK;
}

/// CPPC_OK when a variable of this program is what the image says.
cppc_status Restore::match(Object& object, const Variable& variable) const {
  const Layout& own = layout_of(variable.type);
  const bool same = translation_.needed() ? same_members(*object.layout, own) : same_structure(*object.layout, own);
  if (object.count == variable.count && same) {
    if (translation_.needed()) object.layout = &own;
    return CPPC_OK;
  }
  return mismatch(label(object) + " has " + std::to_string(variable.count) + " x " + type_name(*variable.type) +
                  " of " + std::to_string(variable.type->size) + " bytes here and " + std::to_string(object.count) +
                  " x " + type_name(*object.layout->type) + " of " + std::to_string(object.layout->type->size) +
                  " bytes, or other members, in the image");
}

/// Of an object that only the image names the type of.
cppc_status Restore::find_type(Object& object) {
  if (!translation_.needed()) return CPPC_OK;
  const Layout* const own = translation_.own(*object.layout);
  if (own == nullptr) {
    log().error("{} in the image has the type {}, which this program does not have, or with other members",
                label(object), type_name(*object.layout->type));
    return CPPC_ERR_MISMATCH;
  }
  object.layout = own;
  return CPPC_OK;
}

void Restore::find_functions() {
  std::unordered_map<std::string_view, void (*)()> own;
  for (const cppc_function& function : registry().functions) own.emplace(function.name, function.address);
  for (const std::string& name : block_.functions) {
    const auto found = own.find(name);
    functions_.push_back(found != own.end() ? found->second : nullptr);
  }
}

cppc_status Restore::find_globals() {
  forget_arguments();
  std::unordered_map<std::string_view, const Variable*> own;
  for (const Variable& global : registry().globals) {
    if (!own.emplace(global.name, &global).second)
      return mismatch(std::string("global/") + global.name + " is declared twice");
  }
  for (Object& object : objects()) {
    if (object.section != CPPC_SECTION_GLOBAL) break;
    if (is_argument(object)) continue;
    const auto found = own.find(object.name);
    if (found == own.end()) return mismatch(label(object) + " is in the image and not, or twice, in this program");
    if (const cppc_status status = match(object, *found->second); status != CPPC_OK) return status;
    object.address = static_cast<std::byte*>(found->second->address);
    own.erase(found);
  }
  if (!own.empty()) return mismatch(std::string("global/") + own.begin()->second->name + " is not in the image");
  for (Object& object : objects()) {
    if (!is_argument(object)) continue;
    if (const cppc_status status = find_type(object); status != CPPC_OK) return status;
    object.address = adopt_argument(object);
  }
  return CPPC_OK;
}

cppc_status Restore::allocate_heap(const KeepAlive& keep_alive) {
  heap().reserve_numbers(block_.next_heap_number);
  std::size_t number = 0;
  for (Object& object : objects()) {
    keep_alive(number++);
    if (object.section != CPPC_SECTION_HEAP) continue;
    if (const cppc_status status = find_type(object); status != CPPC_OK) return status;
    const HeapBlock block{*heap_number(object), static_cast<std::size_t>(object.bytes()),
                          static_cast<std::size_t>(object.alignment), object.layout->type};
    object.address = static_cast<std::byte*>(heap().adopt(block, object.dead));
    if (object.address == nullptr) {
      log().error("no memory for {} of {} bytes", label(object), object.bytes());
      return CPPC_ERR_MEMORY;
    }
  }
  heap().expect_no_more();
  return CPPC_OK;
}

void Restore::make_landings(const KeepAlive& keep_alive) {
  landings_.resize(objects().size());
  for (std::size_t i = 0; i < objects().size(); ++i) {
    keep_alive(i);
    const Object& object = objects()[i];
    const bool in_place = (object.section == CPPC_SECTION_HEAP && object.in_image == nullptr) ||
                          (object.section == CPPC_SECTION_GLOBAL && object.in_image == nullptr &&
                           !object.layout->references && memory_.writable(memory_of(object)));
    if (has_contents(object) && !in_place) landings_[i].copy = std::make_unique<std::byte[]>(object.stored_bytes());
  }
}

/// Images name objects in the order of their runtime block, unless they come from elsewhere.
std::optional<std::size_t> Restore::number_of(cppc_section section, std::string_view name) {
  const auto is = [&](const Object& object) { return object.section == section && object.name == name; };
  if (next_ < objects().size() && is(objects()[next_])) return next_++;
  if (by_label_.empty()) {
    by_label_.reserve(objects().size());
    for (std::size_t i = 0; i < objects().size(); ++i) by_label_.emplace(label(objects()[i]), i);
  }
  const auto found = by_label_.find(label({.section = section, .name = std::string(name)}));
  if (found == by_label_.end()) return std::nullopt;
  next_ = found->second + 1;
  return found->second;
}

cppc_status Restore::place(cppc_section section, std::string_view name, std::uint64_t bytes, void** place) {
  const auto found = section != CPPC_SECTION_RUNTIME ? number_of(section, name) : std::nullopt;
  if (!found) {
    log().error("the image holds an object {} of section {} that its runtime block does not name", name,
                static_cast<int>(section));
    return CPPC_ERR_IMAGE;
  }
  const Object& object = objects()[*found];
  if (bytes != object.stored_bytes()) {
    log().error("{} has {} bytes in the image and {} in its runtime block", label(object), bytes,
                object.stored_bytes());
    return CPPC_ERR_IMAGE;
  }
  Landing& landing = landings_[*found];
  if (std::exchange(landing.placed, true)) {
    log().error("{} is in the image twice", label(object));
    return CPPC_ERR_IMAGE;
  }
  *place = !has_contents(object) ? nullptr : landing.copy != nullptr ? landing.copy.get() : object.address;
  return CPPC_OK;
}

cppc_status Restore::end() {
  for (std::size_t i = 0; i < objects().size(); ++i) {
    const Object& object = objects()[i];
    if (!has_contents(object)) continue;
    if (!landings_[i].placed) {
      log().error("{} is missing in the image", label(object));
      return CPPC_ERR_IMAGE;
    }
    if (object.section == CPPC_SECTION_FRAME) continue;
    if (const cppc_status status = settle(i); status != CPPC_OK) return status;
  }
  by_label_ = {};
  complete_ = true;
  return CPPC_OK;
}

/// What has arrived becomes what this program has, at `contents`, which may be the same place: references are real.
cppc_status Restore::make_real(const Object& object, const std::byte* stored, std::byte* contents,
                               std::vector<LateReference>& late) {
  if (object.in_image != nullptr) return decoder().translate(object, stored, contents, translation_, late);
  return object.layout->references ? decoder().decode(object, contents, late) : CPPC_OK;
}

/// The contents have arrived and the object has its address: references become real, a copy goes to its place.
cppc_status Restore::settle(std::size_t number) {
  const Object& object = objects()[number];
  std::byte* copy = landings_[number].copy.get();
  std::unique_ptr<std::byte[]> translated;
  if (object.in_image != nullptr) {
    // What lies between members has no meaning: of a constant it stays what it is.
    translated = std::make_unique_for_overwrite<std::byte[]>(object.bytes());
    std::memcpy(translated.get(), object.address, object.bytes());
  }
  std::byte* const contents = translated != nullptr ? translated.get() : copy != nullptr ? copy : object.address;
  if (const cppc_status status = make_real(object, copy, contents, late_); status != CPPC_OK) return status;
  if (translated != nullptr) copy = translated.get();
  if (copy == nullptr || std::memcmp(object.address, copy, object.bytes()) == 0) return CPPC_OK;
  if (object.section == CPPC_SECTION_GLOBAL && !memory_.writable(memory_of(object))) {
    return mismatch(label(object) + " is constant and has another value here");
  }
  std::memcpy(object.address, copy, object.bytes());
  return CPPC_OK;
}

std::size_t Restore::first_variable(const Frame& frame) const {
  const auto& all = block_.inventory.objects;
  return frame.first + (frame.count > 0 && all[frame.first].shadow ? 1 : 0);
}

tl::expected<int, cppc_status> Restore::enter(const cppc_frame& entered) {
  const cppc_routine& routine = *entered.routine;
  const std::string function = routine.name;
  const std::size_t depth = resumed_;
  const bool caller_resumed = entered_ == nullptr || entered_->resume == 0;
  if (depth == frames().size() || entered.caller != entered_ || !caller_resumed) {
    return tl::unexpected(mismatch(function + "() is not the next function of the image"));
  }
  const Frame& frame = frames()[depth];
  const cppc_place* place = find_place(entered, frame.place);
  if (frame.function != function || place == nullptr) {
    return tl::unexpected(mismatch(function + "() is entered where the image has place " + std::to_string(frame.place) +
                                   " of " + frame.function + "()"));
  }
  const bool has_shadow = first_variable(frame) > frame.first;
  if (has_shadow != (place->shadow != nullptr)) return tl::unexpected(mismatch(function + "() has another shadow"));
  entered_ = &entered;
  if (!has_shadow) return frame.place;
  Object& shadow = objects()[frame.first];
  const cppc_status same = match(shadow, {"(shadow)", entered.shadow, place->shadow, 1});
  if (same != CPPC_OK) return tl::unexpected(same);
  shadow.address = static_cast<std::byte*>(entered.shadow);
  const cppc_status set = set_shadow(shadow, landings_[frame.first].copy.get());
  if (set != CPPC_OK) return tl::unexpected(set);
  return frame.place;
}

/// Nothing behind a reference that is not in memory yet: null.
cppc_status Restore::set_shadow(const Object& shadow, const std::byte* stored) {
  if (!has_contents(shadow)) return CPPC_OK;
  std::vector<std::byte> contents(stored, stored + std::min(shadow.stored_bytes(), shadow.bytes()));
  contents.resize(shadow.bytes());
  std::vector<LateReference> never;
  if (const cppc_status status = make_real(shadow, stored, contents.data(), never); status != CPPC_OK) return status;
  copy_members(*shadow.layout, contents.data(), shadow.address);
  return CPPC_OK;
}

cppc_status Restore::resume(const cppc_frame& entered, bool innermost) {
  const std::string function = entered.routine->name;
  if (entered_ != &entered || resumed_ == frames().size() || innermost != (resumed_ + 1 == frames().size())) {
    return mismatch(function + "() goes on at another place than that of the image");
  }
  const Frame& frame = frames()[resumed_];
  const auto variables = variables_at(entered, *find_place(entered, frame.place));
  const std::size_t first = first_variable(frame);
  const auto own = std::span(objects()).subspan(first, frame.first + frame.count - first);
  if (const cppc_status status = match_variables(frame, own, variables); status != CPPC_OK) return status;
  // All addresses first: the objects of a frame may point to each other.
  for (std::size_t i = 0; i < own.size(); ++i) own[i].address = static_cast<std::byte*>(variables[i].address);
  ++resumed_;
  for (std::size_t i = first; i < first + own.size(); ++i) {
    if (!has_contents(objects()[i])) continue;
    if (const cppc_status status = settle(i); status != CPPC_OK) return status;
    landings_[i].copy.reset();
  }
  if (first > frame.first) {
    const cppc_status status = set_shadow(objects()[frame.first], landings_[frame.first].copy.get());
    if (status != CPPC_OK) return status;
  }
  if (innermost) decoder().decode(late_);
  return CPPC_OK;
}

cppc_status Restore::match_variables(const Frame& frame, std::span<Object> objects,
                                     std::span<const Variable> variables) const {
  const cppc_routine& routine = *entered_->routine;
  if (variables.size() != objects.size()) {
    return mismatch(frame.function + "() has another number of variables at place " + std::to_string(frame.place));
  }
  const auto names = variable_names(resumed_, routine, variables);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (objects[i].name != names[i])
      return mismatch("frame/" + names[i] + " is " + label(objects[i]) + " in the image");
    if (const cppc_status status = match(objects[i], variables[i]); status != CPPC_OK) return status;
  }
  return CPPC_OK;
}

}  // namespace cppc
