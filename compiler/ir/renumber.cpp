#include "ir/renumber.hpp"

#include <utility>

namespace cppc::ir {

namespace {

class Renumbering {
 public:
  explicit Renumbering(Program& program) : program_(program) {}

  std::vector<Node> run() {
    order();
    for (Function& function : program_.functions) change(function);
    for (Call& call : program_.calls) change(call);
    for (Overwrite& overwrite : program_.overwrites) {
      change(overwrite.target);
      if (overwrite.at_entry) change(*overwrite.at_entry);
    }
    for (Condition& condition : program_.conditions) change(condition.reads);
    for (Instruction& instruction : program_.initial) change(instruction);
    change(program_.addresses_as_numbers);
    change(program_.unknown);
    change(program_.text);
    change(program_.nowhere);
    change(program_.names);
    change(program_.places);
    change(program_.types);
    change(program_.pointers);
    return std::move(numbers_);
  }

 private:
  void order() {
    std::vector<Object> ordered{Object{}};
    numbers_.resize(program_.objects.size());
    for (const bool temporaries : {false, true})
      for (Node node = 1; node < program_.objects.size(); ++node) {
        if ((program_.objects[node].storage == Storage::temporary) != temporaries) continue;
        numbers_[node] = static_cast<Node>(ordered.size());
        ordered.push_back(program_.objects[node]);
      }
    program_.objects = std::move(ordered);
  }

  void change(Node& node) const { node = numbers_[node]; }
  void change(std::vector<Node>& nodes) const {
    for (Node& node : nodes) change(node);
  }
  template <typename Value>
  void change(std::map<Node, Value>& of) const {
    std::map<Node, Value> changed;
    for (auto& [node, value] : of) changed.emplace(numbers_[node], std::move(value));
    of = std::move(changed);
  }
  void change(std::vector<Part>& parts) const {
    for (Part& part : parts) change(part.object);
  }
  void change(Target& target) const {
    change(target.object);
    change(target.pointer);
    change(target.reads);
    change(target.loads);
  }
  void change(Instruction& instruction) const {
    change(instruction.a);
    change(instruction.b);
  }
  void change(Function& function) const {
    change(function.parameters);
    change(function.result);
    change(function.rest);
    for (Block& block : function.blocks)
      for (Instruction& instruction : block.instructions) change(instruction);
  }
  void change(Call& call) const {
    change(call.pointer);
    change(call.arguments);
    for (auto& reads : call.argument_reads) change(reads);
    change(call.result);
    change(call.block);
  }

  Program& program_;
  std::vector<Node> numbers_;
};

}  // namespace

std::vector<Node> put_objects_first(Program& program) { return Renumbering(program).run(); }

}  // namespace cppc::ir
