#include "models.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <functional>
#include <sstream>

#include "read_text.hpp"

namespace cppc::models {

namespace {

struct Wrong {
  std::string what;
  toml::source_region where;
};

template <typename T>
T get(const toml::node& node, const char* expected) {
  if (const auto value = node.value<T>()) return *value;
  throw Wrong{std::string("expected ") + expected, node.source()};
}

int number(const toml::node& node) { return static_cast<int>(get<std::int64_t>(node, "a number")); }

std::vector<int> numbers(const toml::node& node) {
  const toml::array* array = node.as_array();
  if (array == nullptr) throw Wrong{"expected a list of argument numbers", node.source()};
  std::vector<int> all;
  for (const auto& element : *array) all.push_back(number(element));
  return all;
}

std::vector<std::pair<int, int>> pairs(const toml::node& node) {
  const toml::array* array = node.as_array();
  if (array == nullptr) throw Wrong{"expected a list of pairs of argument numbers", node.source()};
  std::vector<std::pair<int, int>> all;
  for (const auto& element : *array) {
    const auto two = numbers(element);
    if (two.size() != 2) throw Wrong{"expected two argument numbers", element.source()};
    all.emplace_back(two[0], two[1]);
  }
  return all;
}

template <typename T>
T word(const toml::node& node, std::initializer_list<std::pair<const char*, T>> known) {
  const auto text = get<std::string>(node, "a word");
  for (const auto& [name, value] : known)
    if (text == name) return value;
  throw Wrong{"unknown word '" + text + "'", node.source()};
}

Heap heap_word(const toml::node& node) {
  return word<Heap>(node, {{"allocates", Heap::allocates}, {"reallocates", Heap::reallocates}, {"frees", Heap::frees}});
}

Container container_word(const toml::node& node) {
  return word<Container>(node, {{"tells", Container::tells},
                                {"locates", Container::locates},
                                {"makes", Container::makes},
                                {"grows", Container::grows},
                                {"swaps", Container::swaps},
                                {"takes", Container::takes},
                                {"releases", Container::releases}});
}

Traffic traffic_word(const toml::node& node) {
  return word<Traffic>(node, {{"send", Traffic::send},
                              {"receive", Traffic::receive},
                              {"exchange", Traffic::exchange},
                              {"collective", Traffic::collective},
                              {"start_send", Traffic::start_send},
                              {"start_receive", Traffic::start_receive},
                              {"start", Traffic::start},
                              {"complete", Traffic::complete},
                              {"test", Traffic::test},
                              {"probe", Traffic::probe}});
}

bool truth(const toml::node& node) { return get<bool>(node, "true or false"); }
std::string reason(const toml::node& node) { return get<std::string>(node, "a reason"); }
std::string loss(const toml::node& node) { return get<std::string>(node, "what is lost"); }
std::string function_name(const toml::node& node) { return get<std::string>(node, "a function"); }

using Setter = std::function<void(Model&, const toml::node&)>;

/// Sets a field of the model to what `read` makes of the value.
template <typename T>
Setter field(T Model::*which, T (*read)(const toml::node&)) {
  return [=](Model& model, const toml::node& value) { model.*which = read(value); };
}

Setter argument(int Communication::*which) {
  return [=](Model& model, const toml::node& value) { model.communication.*which = number(value); };
}

const std::map<std::string_view, Setter>& setters() {
  static const std::map<std::string_view, Setter> all = {
      {"reads", field(&Model::reads, numbers)},
      {"writes", field(&Model::writes, numbers)},
      {"sets", field(&Model::sets, numbers)},
      {"fills", field(&Model::fills, numbers)},
      {"reads_from", field(&Model::reads_from, number)},
      {"writes_from", field(&Model::writes_from, number)},
      {"copies", field(&Model::copies, pairs)},
      {"keeps", field(&Model::keeps, pairs)},
      {"container", field(&Model::container, container_word)},
      {"shows", field(&Model::shows, number)},
      {"returns", field(&Model::returns, number)},
      {"returns_outside", field(&Model::returns_outside, truth)},
      {"heap", field(&Model::heap, heap_word)},
      {"heap_argument", field(&Model::heap_argument, number)},
      {"callback", field(&Model::callback, number)},
      {"callback_in", field(&Model::callback_in, number)},
      {"exports", field(&Model::exports, numbers)},
      {"imports", field(&Model::imports, numbers)},
      {"messages", field(&Model::messages, truth)},
      {"callback_arguments", field(&Model::callback_arguments, numbers)},
      {"keeps_callback", field(&Model::keeps_callback, truth)},
      {"held", field(&Model::held, numbers)},
      {"returns_never", field(&Model::returns_never, truth)},
      {"required", field(&Model::required, truth)},
      {"refused", field(&Model::refused, reason)},
      {"refused_on_path", field(&Model::refused_on_path, truth)},
      {"lost", field(&Model::lost, loss)},
      {"stream", field(&Model::stream, truth)},
      {"replaced", field(&Model::replaced, function_name)},
      {"traffic", [](Model& model, const toml::node& value) { model.communication.traffic = traffic_word(value); }},
      {"peer", argument(&Communication::peer)},
      {"tag", argument(&Communication::tag)},
      {"communicator", argument(&Communication::communicator)},
      {"request", argument(&Communication::request)}};
  return all;
}

Model read_model(const toml::node& node) {
  const toml::table* table = node.as_table();
  if (table == nullptr) throw Wrong{"expected a table", node.source()};
  Model model;
  for (const auto& [key, value] : *table) {
    const auto found = setters().find(key.str());
    if (found == setters().end()) throw Wrong{"unknown key '" + std::string(key.str()) + "'", value.source()};
    found->second(model, value);
  }
  return model;
}

std::string message(const std::filesystem::path& file, const toml::source_region& where, const std::string& what) {
  return file.string() + ":" + std::to_string(where.begin.line) + ": " + what;
}

std::string small_letters(std::string_view name) {
  std::string small(name);
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return small;
}

constexpr int most_arguments = 20;

/// The function of Fortran that does what `c` does: all its arguments are pointers, and the numbers among them are
/// read. Behind those that the model names come some that are read, and the one that takes the error.
Model fortran_model(const Model& c) {
  Model model = c;
  model.fills.clear();  // how much, is in memory
  int behind = 0;
  for (const auto* named : {&c.reads, &c.writes, &c.sets})
    for (const int argument : *named) behind = std::max(behind, argument + 1);
  for (const int argument : {c.communication.communicator, c.communication.request, c.callback, c.shows})
    behind = std::max(behind, argument + 1);
  model.writes_from = behind;
  for (int argument = 0; argument < most_arguments; ++argument) {
    const auto in = [argument](const std::vector<int>& list) {
      return std::ranges::find(list, argument) != list.end();
    };
    if (!in(c.reads) && !in(c.writes) && !in(c.sets) && argument != c.callback) model.reads.push_back(argument);
  }
  if (c.heap != Heap::none)
    model.refused = "memory that MPI allocates for Fortran is not carried over to another process";
  model.heap = Heap::none;
  return model;
}

}  // namespace

bool is_of_mpi(std::string_view function) {
  if (function.starts_with('P') || function.starts_with('p')) function.remove_prefix(1);
  return function.starts_with("MPI_") || function.starts_with("mpi_");
}

tl::expected<void, std::string> Models::read(const std::filesystem::path& file) try {
  const auto text = read_text(file);
  if (!text) return tl::unexpected("cannot read " + file.string() + ": " + std::strerror(errno));
  for (const toml::table table = toml::parse(*text, file.string()); const auto& [name, value] : table)
    functions_[std::string(name.str())] = read_model(value);
  for (const auto& [name, model] : functions_)
    if (name.starts_with("MPI_")) fortran_[small_letters(name)] = fortran_model(model);
  return {};
} catch (const toml::parse_error& error) {
  return tl::unexpected(message(file, error.source(), std::string(error.description())));
} catch (const Wrong& wrong) {
  return tl::unexpected(message(file, wrong.where, wrong.what));
}

const Model* Models::find(const std::string& function) const {
  if (const auto found = functions_.find(function); found != functions_.end()) return &found->second;
  static const std::string builtin = "__builtin_";
  if (function.starts_with(builtin)) {
    const auto found = functions_.find(function.substr(builtin.size()));
    return found != functions_.end() && found->second.heap == Heap::none ? &found->second : nullptr;
  }
  if (const std::size_t member = function.rfind("::"); member != std::string::npos) {
    const auto found = functions_.find(function.substr(0, member) + "::*");
    return found != functions_.end() ? &found->second : nullptr;
  }
  if (!is_of_mpi(function)) return nullptr;
  if (function.starts_with('P') || function.starts_with('p')) return find(function.substr(1));
  // mpi_send, mpi_send_, mpi_send__, MPI_SEND; mpi_alloc_mem_cptr is mpi_alloc_mem for Fortran 2003
  std::string name = small_letters(function.substr(0, function.find_last_not_of('_') + 1));
  if (name.ends_with("_cptr")) name.erase(name.rfind("_cptr"));
  const auto fortran = fortran_.find(name);
  return fortran != fortran_.end() ? &fortran->second : nullptr;
}

}  // namespace cppc::models
