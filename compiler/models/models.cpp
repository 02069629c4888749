#include "models.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
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

Model read_model(const toml::node& node) {
  const toml::table* table = node.as_table();
  if (table == nullptr) throw Wrong{"expected a table", node.source()};
  Model model;
  for (const auto& [key, value] : *table) {
    const std::string name(key.str());
    if (name == "reads")
      model.reads = numbers(value);
    else if (name == "writes")
      model.writes = numbers(value);
    else if (name == "sets")
      model.sets = numbers(value);
    else if (name == "fills")
      model.fills = numbers(value);
    else if (name == "reads_from")
      model.reads_from = number(value);
    else if (name == "writes_from")
      model.writes_from = number(value);
    else if (name == "copies")
      model.copies = pairs(value);
    else if (name == "keeps")
      model.keeps = pairs(value);
    else if (name == "container")
      model.container = word<Container>(value, {{"tells", Container::tells},
                                                {"locates", Container::locates},
                                                {"makes", Container::makes},
                                                {"grows", Container::grows},
                                                {"swaps", Container::swaps},
                                                {"takes", Container::takes},
                                                {"releases", Container::releases}});
    else if (name == "shows")
      model.shows = number(value);
    else if (name == "returns")
      model.returns = number(value);
    else if (name == "returns_outside")
      model.returns_outside = get<bool>(value, "true or false");
    else if (name == "heap")
      model.heap = word<Heap>(
          value, {{"allocates", Heap::allocates}, {"reallocates", Heap::reallocates}, {"frees", Heap::frees}});
    else if (name == "heap_argument")
      model.heap_argument = number(value);
    else if (name == "callback")
      model.callback = number(value);
    else if (name == "callback_arguments")
      model.callback_arguments = numbers(value);
    else if (name == "keeps_callback")
      model.keeps_callback = get<bool>(value, "true or false");
    else if (name == "held")
      model.held = numbers(value);
    else if (name == "returns_never")
      model.returns_never = get<bool>(value, "true or false");
    else if (name == "required")
      model.required = get<bool>(value, "true or false");
    else if (name == "refused")
      model.refused = get<std::string>(value, "a reason");
    else if (name == "refused_on_path")
      model.refused_on_path = get<bool>(value, "true or false");
    else if (name == "lost")
      model.lost = get<std::string>(value, "what is lost");
    else if (name == "stream")
      model.stream = get<bool>(value, "true or false");
    else if (name == "replaced")
      model.replaced = get<std::string>(value, "a function");
    else if (name == "traffic")
      model.communication.traffic = word<Traffic>(value, {{"send", Traffic::send},
                                                          {"receive", Traffic::receive},
                                                          {"exchange", Traffic::exchange},
                                                          {"collective", Traffic::collective},
                                                          {"start_send", Traffic::start_send},
                                                          {"start_receive", Traffic::start_receive},
                                                          {"start", Traffic::start},
                                                          {"complete", Traffic::complete},
                                                          {"test", Traffic::test},
                                                          {"probe", Traffic::probe}});
    else if (name == "peer")
      model.communication.peer = number(value);
    else if (name == "tag")
      model.communication.tag = number(value);
    else if (name == "communicator")
      model.communication.communicator = number(value);
    else if (name == "request")
      model.communication.request = number(value);
    else
      throw Wrong{"unknown key '" + name + "'", value.source()};
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
