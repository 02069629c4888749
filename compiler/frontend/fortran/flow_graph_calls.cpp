/// What calls do with variables.
#include <algorithm>
#include <map>
#include <string>

#include "flow_builder.hpp"
#include "lower.hpp"
#include "own_data.hpp"

namespace cppc::fortran {

using Kind = Expr::Kind;

void Flow::Builder::call(const Expr& e, bool statement) {
  if (e.word == "(address)") {
    if (e.procedure != none) flow_.called_otherwise_[e.procedure] = true;
    return;
  }
  if (e.procedure == none && !e.word.empty()) return intrinsic(e, statement);
  const Procedure* callee = e.procedure != none ? &program_.procedures[e.procedure] : nullptr;
  if (callee == nullptr) return unknown(e);
  if (callee->defined) return statement ? known(e) : perhaps(e);
  if (is_of_runtime(callee->linker_name)) {
    for (const ExprPtr& argument : e.parts)
      if (argument != nullptr) use_whole(*argument, true, true);
    return;
  }
  const models::Model* model = flow_.models_.find(callee->linker_name);
  if (model == nullptr || !models::is_of_mpi(callee->linker_name)) return unknown(e);
  of_mpi(e, *model);
}

void Flow::Builder::intrinsic(const Expr& e, bool statement) {
  if (takes_address(e)) flow_.unclear_ = "addresses of variables are taken (" + e.word + ")";
  for (const ExprPtr& argument : e.parts) {
    if (argument == nullptr) continue;
    read(*argument);
    if (statement) change(*argument);
  }
}

/// C_LOC is for what has TARGET, which any address may lead to.
bool Flow::Builder::takes_address(const Expr& e) const {
  if (e.word == "loc") return true;
  if (!e.word.ends_with("c_loc")) return false;
  const Index symbol = !e.parts.empty() && e.parts.front() != nullptr ? root(*e.parts.front()) : none;
  return symbol == none || program_.symbols[symbol].unclear.empty();
}

void Flow::Builder::unknown(const Expr& e) {
  for (const ExprPtr& argument : e.parts)
    if (argument != nullptr) read(*argument);
  emit({.kind = Step::Kind::outside, .call = &e});
  flow_.unknown_.push_back(&e);
}

/// Of a function: where the rest decides the value, compilers leave it out, and implied loops may make no pass.
void Flow::Builder::perhaps(const Expr& e) {
  const std::size_t called = block(), after = block();
  link(called);
  link(after);
  block_ = called;
  known(e);
  link(after);
  block_ = after;
}

void Flow::Builder::known(const Expr& e) {
  for (const ExprPtr& argument : e.parts) {
    if (argument == nullptr) continue;
    if (root(*argument) != none) {
      read_subscripts(*argument);
      read_parts(*argument);
    } else {
      read(*argument);
    }
  }
  emit({.kind = Step::Kind::call, .call = &e, .skipped = skipped_});
  for (std::size_t i = 0; i < e.parts.size(); ++i)
    if (e.parts[i] != nullptr && e.parts[i]->kind == Kind::name) change_besides(e, i);
}

/// What a call may change of an argument but what the callee knows: components of a variable, and the block that a
/// dummy gets which is allocatable or a pointer itself.
void Flow::Builder::change_besides(const Expr& call, std::size_t i) {
  const auto& dummies = program_.procedures[call.procedure].dummies;
  const Symbol& given = program_.symbols[call.parts[i]->symbol];
  const bool plain = i < dummies.size() && dummies[i] != none && program_.symbols[dummies[i]].unclear.empty();
  if (given.parts.empty() && (plain || given.shape == none)) return;
  for (const Index other : besides(program_, call.parts[i]->symbol)) emit({Step::Kind::change, other});
}

/// For later calls, in which it may read and change what it is not given.
bool Flow::Builder::keeps_function(const Expr& e, const models::Model& model) const {
  if (model.callback < 0) return model.keeps_callback;
  const auto argument = static_cast<std::size_t>(model.callback);
  const ExprPtr function = argument < e.parts.size() ? e.parts[argument] : nullptr;
  return function == nullptr || function->procedure == none || !has_own_data_only(program_, function->procedure);
}

/// Buffers are read or written by the tables; a receive is no overwrite.
void Flow::Builder::of_mpi(const Expr& e, const models::Model& model) {
  const std::string& name = program_.procedures[e.procedure].linker_name;
  const bool keeps = !model.held.empty() || model.shows >= 0 || keeps_function(e, model);
  if (keeps || name.starts_with("mpi_get_address") || name.starts_with("mpi_address"))
    flow_.unclear_ = "MPI keeps addresses of variables (" + name + ")";
  for (const Index symbol : flow_.used_in_mpi_) {
    emit({Step::Kind::read, symbol});
    emit({Step::Kind::change, symbol});
  }
  using models::Traffic;
  const Traffic traffic = model.communication.traffic;
  if (traffic == Traffic::start) return emit({Step::Kind::everything});  // reads what it was given before
  if (model.communication.request >= 0 && traffic != Traffic::complete && traffic != Traffic::test)
    flow_.requests_.push_back(&e);
  const auto is_place = [this](const ExprPtr& argument) {  // MPI_IN_PLACE, MPI_BOTTOM
    const Index symbol = argument != nullptr ? root(*argument) : none;
    return symbol != none && flow_.in_place_.contains(symbol);
  };
  const bool anything = std::ranges::any_of(e.parts, is_place);
  const auto in = [](const std::vector<int>& list, int i) { return std::ranges::find(list, i) != list.end(); };
  for (int i = 0; i < static_cast<int>(e.parts.size()); ++i) {
    const ExprPtr& argument = e.parts[static_cast<std::size_t>(i)];
    if (argument == nullptr) continue;
    if (anything && root(*argument) != none && program_.symbols[root(*argument)].name == "mpi_bottom")
      return emit({Step::Kind::everything});
    const bool writes = in(model.writes, i) || in(model.sets, i) || (model.writes_from >= 0 && i >= model.writes_from);
    const bool reads = !writes || in(model.reads, i) || anything || (model.reads_from >= 0 && i >= model.reads_from);
    use_whole(*argument, reads, writes);
  }
  receive(e, name);
}

/// A count or a datatype may take in the elements behind the one that is named, and the components around it.
void Flow::Builder::use_whole(const Expr& argument, bool reads, bool writes) {
  const Index symbol = root(argument);
  if (symbol == none) {
    read(argument);
    if (writes) change(argument);
    return;
  }
  read_subscripts(argument);
  std::vector<Index> others = neighbours(program_, symbol);
  const auto& parts = program_.symbols[symbol].parts;
  others.insert(others.end(), parts.begin(), parts.end());
  if (reads && !skipped_.contains(symbol)) emit({Step::Kind::read, symbol});
  if (writes) change_variable(symbol, true);
  for (const Index other : others) {
    emit({Step::Kind::read, other});
    if (writes) emit({Step::Kind::change, other});
  }
}

/// What collective operations fill, whoever sends it.
void Flow::Builder::receive(const Expr& e, const std::string& name) {
  struct Places {
    std::size_t buffer, count, type, communicator;
    bool of_each;
  };
  static const std::map<std::string, Places> calls = {{"mpi_alltoall_", {3, 4, 5, 6, true}},
                                                      {"mpi_allgather_", {3, 4, 5, 6, true}},
                                                      {"mpi_allreduce_", {1, 2, 3, 5, false}}};
  const auto found = calls.find(name);
  if (found == calls.end() || flow_.handles_errors_) return;  // one that fails fills nothing
  if (const Index sent = e.parts.front() != nullptr ? root(*e.parts.front()) : none;
      sent != none && flow_.in_place_.contains(sent))
    return;
  const auto& [buffer, count, type, communicator, of_each] = found->second;
  if (e.parts.size() <= communicator) return;
  const ExprPtr& array = e.parts[buffer];
  if (array == nullptr || array->kind != Kind::name || skipped_.contains(array->symbol)) return;
  const Symbol& symbol = program_.symbols[array->symbol];
  if (!symbol.array || !symbol.unclear.empty() || symbol.element == 0) return;
  Region region{.symbol = array->symbol, .view = array->symbol, .alone = true};
  region.received = {e.parts[count], e.parts[type], of_each ? e.parts[communicator] : nullptr};
  for (const ExprPtr& part : region.received)
    if (part != nullptr && !find_variables(program_, *part, region.depends)) return;
  if (region.received[0] != nullptr && region.received[1] != nullptr) overwrite(std::move(region));
}

}  // namespace cppc::fortran
