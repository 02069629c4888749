/// Members of structures: what was stored in one by its name is told apart from what was stored in the others, as long
/// as structures that have nothing to do with each other do not use the same memory.
#include "points_to.hpp"

namespace cppc::analysis {

using ir::Node;

void PointsTo::find_families() {
  std::map<std::string, ir::Index> numbers;
  for (const ir::Member& member : program_.members)
    families_.push_back(numbers.try_emplace(member.family, static_cast<ir::Index>(numbers.size())).first->second);
  family_.assign(program_.objects.size(), ir::none);
}

bool PointsTo::has_parts(Node node) const {
  const ir::Object& o = program_.objects[node];
  const bool memory =
      o.storage == ir::Storage::global || o.storage == ir::Storage::local || o.storage == ir::Storage::heap;
  return memory && !o.scalar;
}

/// What is stored without a member's name.
Node PointsTo::anywhere(Node object) const { return object < anywhere_.size() ? anywhere_[object] : object; }

Node PointsTo::part(ir::Part of) const {
  if (of.member == ir::none || blurred_.test(of.object)) return of.object;
  const auto parts = parts_.find(of.object);
  if (parts != parts_.end())
    if (const auto found = parts->second.find(of.member); found != parts->second.end()) return found->second;
  if (representative(of.object) != outside() || !has_parts(of.object)) return of.object;
  return parts_[of.object][of.member] = next_part_++;
}

const Objects& PointsTo::parts(ir::Node pointer, ir::Index member) const {
  const Objects& objects = (*this)[pointer];
  if (member == ir::none) return objects;
  const auto [known, fresh] = parts_led_to_.try_emplace({&objects, member});
  if (fresh)
    for (const unsigned object : objects) known->second.set(part({object, member}));
  return known->second;
}

/// The node of what is read there.
Node PointsTo::contents(ir::Part of) {
  const bool may_have_parts = of.object == program_.unknown || (of.object < anywhere_.size() && has_parts(of.object));
  if (of.member == ir::none || !may_have_parts) return of.object;
  note_family(of.object, of.member);
  if (representative(of.object) == outside()) return of.object;
  auto& parts = parts_[of.object];
  if (const auto known = parts.find(of.member); known != parts.end()) return known->second;
  const Node made = fresh();
  parts.emplace(of.member, made);
  add_copy(made, anywhere_[of.object]);
  add_copy(of.object, made);
  if (blurred_.test(of.object)) add_copy(made, of.object);
  return made;
}

/// The node of what is stored there.
Node PointsTo::filled(ir::Part of) { return of.member == ir::none ? anywhere(of.object) : contents(of); }

void PointsTo::note_family(Node object, ir::Index member) {
  if (family_[object] == ir::none) family_[object] = families_[member];
  if (family_[object] != families_[member] && !blurred_.test(object)) blur(object);
}

/// Structures that have nothing to do with each other use the same memory.
void PointsTo::blur(Node object) {
  blurred_.set(object);
  if (const auto parts = parts_.find(object); parts != parts_.end())
    for (const auto& [member, part] : parts->second) add_copy(part, object);
}

}  // namespace cppc::analysis
