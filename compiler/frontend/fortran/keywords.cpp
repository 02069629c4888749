#include "keywords.hpp"

#include <flang/Parser/parse-tree-visitor.h>

#include <algorithm>
#include <fstream>
#include <list>
#include <optional>
#include <sstream>

namespace cppc::fortran {

namespace {

namespace parser = Fortran::parser;
using Argument = parser::ActualArgSpec;

std::optional<parser::Keyword>& keyword_of(Argument& argument) {
  return std::get<std::optional<parser::Keyword>>(argument.t);
}

/// What a word of the list names: FIRST or FIRST/SECOND.
std::vector<std::string> split(const std::string& word) {
  std::vector<std::string> names;
  std::istringstream in(word);
  for (std::string name; std::getline(in, name, '/');) names.push_back(name);
  return names;
}

struct Placement {
  const ArgumentNames* names;

  template <typename T>
  bool Pre(T& /*node*/) {
    return true;
  }
  template <typename T>
  void Post(T& /*node*/) {}

  void Post(parser::Call& call) {
    auto& [designator, arguments] = call.t;
    const auto* name = std::get_if<parser::Name>(&designator.u);
    if (name == nullptr) return;
    const std::string procedure = name->ToString();
    const bool has_keywords = std::ranges::any_of(arguments, [](Argument& one) { return keyword_of(one).has_value(); });
    if (!has_keywords || !procedure.starts_with("mpi_")) return;
    const auto known = names->find(procedure);
    place(arguments, known != names->end() ? known->second : std::vector<std::vector<std::string>>{});
  }

 private:
  /// Of a procedure without `places`, which has `ierror` alone or is not known, the last argument may have that name.
  static void place(std::list<Argument>& arguments, const std::vector<std::vector<std::string>>& places) {
    std::vector<std::optional<std::list<Argument>::iterator>> placed(places.empty() ? arguments.size()
                                                                                    : places.size() + 1);
    std::size_t next = 0;
    std::size_t end = 0;
    for (auto one = arguments.begin(); one != arguments.end(); ++one, ++next) {
      const std::size_t at = keyword_of(*one) ? place_of(keyword_of(*one)->v.ToString(), places, placed.size()) : next;
      if (at >= placed.size() || placed[at]) return;
      placed[at] = one;
      end = std::max(end, at + 1);
    }
    if (end != arguments.size()) return;
    std::list<Argument> ordered;
    for (std::size_t at = 0; at < end; ++at) {
      keyword_of(**placed[at]).reset();
      ordered.splice(ordered.end(), arguments, *placed[at]);
    }
    arguments = std::move(ordered);
  }

  static std::size_t place_of(const std::string& name, const std::vector<std::vector<std::string>>& places,
                              std::size_t count) {
    if (name == "ierror") return count - 1;
    const auto has_it = [&](const auto& names) { return std::ranges::find(names, name) != names.end(); };
    const auto found = std::ranges::find_if(places, has_it);
    return found != places.end() ? static_cast<std::size_t>(found - places.begin()) : count;
  }
};

}  // namespace

ArgumentNames argument_names(const std::filesystem::path& file) {
  ArgumentNames names;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string procedure;
    if (line.starts_with('#') || !(words >> procedure)) continue;
    auto& places = names[procedure];
    for (std::string word; words >> word;) places.push_back(split(word));
  }
  return names;
}

void place_arguments(parser::Program& program, const ArgumentNames& names) {
  Placement placement{&names};
  parser::Walk(program, placement);
}

}  // namespace cppc::fortran
