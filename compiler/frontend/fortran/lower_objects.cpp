#include "lower_objects.hpp"

#include <algorithm>

namespace cppc::fortran {

using Storage = Symbol::Storage;

Objects::Objects(const Program& tree, ir::Program& program) : tree_(tree), program_(program) {
  for (const Symbol& symbol : tree.symbols) add(symbol);
  functions_.assign(tree.procedures.size(), ir::nothing);
}

ir::Node Objects::of_function(Index procedure) {
  ir::Node& node = functions_[procedure];
  if (node == ir::nothing)
    node = program_.add({.storage = ir::Storage::function, .address_taken = true, .function = function_of(procedure)},
                        tree_.procedures[procedure].name, {});
  return node;
}

void Objects::escape(ir::Node object) {
  const ir::Node address = program_.add({});
  program_.objects[object].address_taken = true;
  program_.initial.push_back({ir::Op::address, address, object});
  program_.initial.push_back({ir::Op::change, program_.unknown, address});
}

ir::Position Objects::position(const Place& place) {
  if (place.file.empty()) return {};
  const auto found = std::ranges::find(program_.files, place.file);
  const auto file = static_cast<ir::Index>(found - program_.files.begin());
  if (found == program_.files.end()) program_.files.push_back(place.file);
  return {file, place.line, 1};
}

void Objects::add(const Symbol& symbol) {
  if (const Index other = symbol.part_of != none ? symbol.part_of : symbol.shape_of; other != none) {
    nodes_.push_back(nodes_[other]);
    return;
  }
  const bool local = symbol.procedure != none && (symbol.storage == Storage::local || symbol.storage == Storage::dummy);
  const bool reference = symbol.storage == Storage::dummy;
  ir::Object object{.storage = local ? ir::Storage::local : ir::Storage::global};
  object.scalar = reference || (!symbol.array && symbol.element > 0 && symbol.unclear.empty());
  object.bytes = reference ? 8 : symbol.bytes;
  if (local) object.function = function_of(symbol.procedure);
  const ir::Node node = program_.add(object, symbol.name, {});
  if (!reference && (!symbol.unclear.empty() || symbol.doubtful)) escape(node);  // other names may lead to it
  nodes_.push_back(node);
}

}  // namespace cppc::fortran
