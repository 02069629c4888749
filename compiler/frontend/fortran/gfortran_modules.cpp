#include "gfortran_modules.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "module_file.hpp"

namespace cppc::fortran {

namespace {

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

struct ModuleSymbol {
  std::string name, module;
  ModuleNode attributes, components, type, formals, value, shape, result;
  ModuleNode bound;  ///< to a type: procedures, what ends its variables
  [[nodiscard]] bool is(std::string_view flag) const { return attributes.has(flag); }
};

class Writer {
 public:
  explicit Writer(const std::vector<ModuleNode>& parts) {
    const std::vector<ModuleNode>& flat = parts[6].list;
    for (std::size_t i = 0; i + 5 < flat.size(); i += 6) read_symbol(flat[i].word, &flat[i + 1], flat[i + 5]);
    const std::vector<ModuleNode>& names = parts[7].list;
    for (std::size_t i = 0; i + 2 < names.size(); i += 3) public_.emplace(names[i].word, names[i + 2].word);
    operators_ = parts[0];
    generics_ = parts[2];
    overlaps_ = !parts[4].list.empty();
  }

  /// Nothing when a program could mean something else without what is not understood: an assignment, an operator or a
  /// function of the language.
  std::optional<std::string> run(const std::string& module) {
    module_ = module;
    for (const ModuleNode& procedures : operators_.list)
      for (const ModuleNode& number : procedures.list)
        if (const auto one = symbols_.find(number.word); one == symbols_.end() || one->second.module == module)
          return {};
    std::string text = "module " + module + "\n" + uses();
    for (const bool types : {true, false})
      for (const auto& [number, symbol] : symbols_)
        if (symbol.module == module && !symbol.is("ARTIFICIAL") && symbol.is("DERIVED") == types) add(number, symbol);
    for (const ModuleNode& generic : generics_.list) add_generic(generic);
    text += types_ + data_ + (procedures_.empty() ? "" : "interface\n" + procedures_ + "end interface\n") + interfaces_;
    for (const std::string& name : hidden_) text += "private :: " + name + "\n";
    return understood_ ? std::optional(text + "end module\n") : std::nullopt;
  }

 private:
  void read_symbol(const std::string& number, const ModuleNode* names, const ModuleNode& rest) {
    ModuleSymbol made{.name = lower(names[0].word),
                      .module = names[1].word,
                      .attributes = rest[0],
                      .components = rest[1],
                      .type = {},
                      .formals = {},
                      .value = {},
                      .shape = {},
                      .result = {},
                      .bound = {}};
    const std::size_t type = made.is("DERIVED") ? 3 : 2;  // whether its components are public
    made.type = rest[type];
    made.formals = rest[type + 3];
    const std::size_t value = made.is("PARAMETER") ? 1 : 0;
    if (value == 1) made.value = rest[type + 4];
    made.shape = rest[type + 4 + value];
    made.result = rest[type + 5 + value];
    made.bound = rest[type + 6 + value];
    symbols_[number] = std::move(made);
  }

  /// Other modules, whose names this one has, too.
  std::string uses() const {
    std::set<std::string> modules;
    for (const auto& [number, symbol] : symbols_)
      if (symbol.module != module_ && !symbol.module.empty() && symbol.module[0] != '(') modules.insert(symbol.module);
    std::string text;
    for (const std::string& one : modules)
      text += one.starts_with("__") ? "use, intrinsic :: " + one.substr(2) + "\n" : "use " + one + "\n";
    return text;
  }

  void add(const std::string& number, const ModuleSymbol& symbol) {
    if (symbol.name.starts_with("__") || symbol.name.find_first_of("@.") != std::string::npos) return;
    if (symbol.is("DERIVED")) {
      add_type(number);
      return;
    }
    if (symbol.is("VARIABLE") || symbol.is("PARAMETER")) {
      if (is_public(symbol.name)) add_data(symbol);
      return;
    }
    if (!symbol.is("PROCEDURE") || !(symbol.is("SUBROUTINE") || symbol.is("FUNCTION")) || symbol.is("GENERIC")) return;
    const std::string text = procedure(symbol);
    if (text.empty()) {
      understood_ = understood_ && !(symbol.is("FUNCTION") && is_public(symbol.name));
      return;
    }
    procedures_ += text;
    declared_[number] = symbol.name;
    if (!is_public(symbol.name)) hidden_.insert(symbol.name);
  }

  bool is_public(const std::string& name) const { return public_.contains(name); }

  /// After the types of its components. False when it is not understood.
  bool add_type(const std::string& number) {
    const auto found = symbols_.find(number);
    if (found == symbols_.end() || found->second.module != module_) return found != symbols_.end();
    const auto [state, fresh] = types_added_.try_emplace(number, true);  // components may point to their own type
    if (!fresh) return state->second;
    const ModuleSymbol& symbol = found->second;
    const bool plain = std::ranges::all_of(symbol.bound.list, [](const ModuleNode& one) { return one.list.empty(); });
    state->second = plain && !symbol.is("EXTENSION") && !symbol.is("ABSTRACT") && !symbol.is("VTYPE");
    std::string text = "type" + std::string(symbol.is("IS_BIND_C") ? ", bind(C)" : "") + " :: " + symbol.name + "\n";
    for (const ModuleNode& one : symbol.components.list) {
      if (!state->second) break;
      const ModuleNode& attributes = one[6];
      const std::string type = type_of(one[2]), shape = shape_of(one[3], attributes);
      const bool of_type = one[2][0].word == "DERIVED" || one[2][0].word == "CLASS";
      state->second =
          !type.empty() && shape != "?" && !attributes.has("PROC_POINTER") && (!of_type || add_type(one[2][1].word));
      text.append("  ").append(type).append(options(attributes, {"ALLOCATABLE", "POINTER"}));
      text.append(" :: ").append(one[1].word).append(shape).append("\n");
    }
    if (state->second) types_ += text + "end type\n";
    return state->second;
  }

  /// Variables that have their memory by other names, too, are not told: nobody would know that.
  void add_data(const ModuleSymbol& symbol) {
    const bool shared = overlaps_ || symbol.is("IN_COMMON") || symbol.is("IS_BIND_C") || symbol.is("THREADPRIVATE") ||
                        symbol.is("CRAY_POINTER") || symbol.is("CRAY_POINTEE");
    if (symbol.is("VARIABLE") && shared) return;
    const std::string type = type_of(symbol.type), shape = shape_of(symbol.shape, symbol.attributes);
    if (type.empty() || shape == "?") return;
    const std::string value = symbol.is("PARAMETER")
                                  ? constant_text(symbol.value,
                                                  [&](const std::string& number) {
                                                    const auto found = symbols_.find(number);
                                                    return found != symbols_.end() ? found->second.name : std::string();
                                                  })
                                  : std::string();
    if (!value.empty())
      data_ += type + ", parameter :: " + symbol.name + shape + " = " + value + "\n";
    else
      data_ +=
          type + options(symbol.attributes, {"ALLOCATABLE", "POINTER", "TARGET"}) + " :: " + symbol.name + shape + "\n";
  }

  /// With its interface; empty when that is not understood.
  std::string procedure(const ModuleSymbol& symbol) const {
    const bool function = symbol.is("FUNCTION");
    std::string dummies, declarations;
    for (const ModuleNode& number : symbol.formals.list) {
      const auto dummy = symbols_.find(number.word);
      if (dummy == symbols_.end()) return {};
      const std::string declared = declaration(dummy->second, true);
      if (declared.empty()) return {};
      dummies += (dummies.empty() ? "" : ", ") + dummy->second.name;
      declarations += declared;
    }
    std::string prefix, suffix;
    for (const char* word : {"PURE", "ELEMENTAL"})
      if (symbol.is(word)) prefix += lower(word) + " ";
    if (function) {
      const auto found = symbols_.find(symbol.result.word);
      const ModuleSymbol& result = found != symbols_.end() ? found->second : symbol;
      if (result.name != symbol.name) suffix = " result(" + result.name + ")";
      const std::string declared = declaration(result, false);
      if (declared.empty()) return {};
      declarations += declared;
    }
    const std::string kind = function ? "function" : "subroutine";
    return prefix + kind + " " + symbol.name + "(" + dummies + ")" + suffix + "\nimport\n" + declarations + "end " +
           kind + "\n";
  }

  std::string declaration(const ModuleSymbol& symbol, bool dummy) const {
    if (dummy && symbol.is("PROCEDURE"))
      return "external :: " + symbol.name + "\n" + (symbol.is("OPTIONAL") ? "optional :: " + symbol.name + "\n" : "");
    const bool characters = symbol.type[0].word == "CHARACTER";
    if (characters && !dummy && symbol.type[6][0][0].word != "CONSTANT") return {};
    const std::string type = dummy && characters ? "character(len=*)" : type_of(symbol.type);
    const std::string shape = shape_of(symbol.shape, symbol.attributes);
    if (type.empty() || shape == "?" || (!dummy && shape.find('*') != std::string::npos)) return {};
    std::string text = type + options(symbol.attributes, {"ALLOCATABLE", "POINTER", "TARGET", "OPTIONAL", "VALUE"});
    for (const char* intent : {"IN", "OUT", "INOUT"})
      if (dummy && symbol.is(intent)) text += ", intent(" + lower(intent) + ")";
    return text + " :: " + symbol.name + shape + "\n";
  }

  static std::string options(const ModuleNode& attributes, std::initializer_list<const char*> words) {
    std::string text;
    for (const char* word : words)
      if (attributes.has(word)) text += ", " + lower(word);
    return text;
  }

  /// What gfortran has in place of a polymorphic variable: a type with a pointer to the data, and one to what that is.
  [[nodiscard]] std::map<std::string, ModuleSymbol>::const_iterator declared_of_class(const std::string& number) const {
    const auto container = symbols_.find(number);
    if (container == symbols_.end() || is_any_class(number)) return symbols_.end();
    for (const ModuleNode& one : container->second.components.list)
      if (one[1].word == "_data") return symbols_.find(one[2][1].word);
    return container;
  }
  [[nodiscard]] bool is_any_class(const std::string& number) const {
    const auto container = symbols_.find(number);
    return container != symbols_.end() && lower(container->second.name).starts_with("__class__star");
  }

  std::string type_of(const ModuleNode& type) const {
    const std::string& kind = type[0].word;
    if (kind == "INTEGER" || kind == "REAL" || kind == "COMPLEX" || kind == "LOGICAL")
      return lower(kind) + "(" + type[1].word + ")";
    if (kind == "CHARACTER") {
      const ModuleNode& length = type[6][0];
      return length[0].word == "CONSTANT" ? "character(len=" + length[3].word + ")" : std::string("character(len=*)");
    }
    if (kind == "ASSUMED") return "type(*)";
    if (kind != "DERIVED" && kind != "CLASS") return {};
    const auto found = kind == "CLASS" ? declared_of_class(type[1].word) : symbols_.find(type[1].word);
    if (found == symbols_.end()) return kind == "CLASS" && is_any_class(type[1].word) ? "class(*)" : "";
    const auto added = types_added_.find(found->first);
    if (added != types_added_.end() && !added->second) return {};
    return (kind == "DERIVED" ? "type(" : "class(") + found->second.name + ")";
  }

  /// "?" when it is not understood. Bounds of dummies that are not constants do not matter: the number of dimensions is
  /// right.
  static std::string shape_of(const ModuleNode& shape, const ModuleNode& attributes) {
    if (!attributes.has("DIMENSION")) return attributes.has("CODIMENSION") ? "?" : "";
    const std::size_t rank = std::strtoul(shape[0].word.c_str(), nullptr, 10);
    const std::string& kind = shape[2].word;
    if (kind == "ASSUMED_RANK") return "(..)";
    if (rank == 0 || rank > 15) return "?";
    std::string text;
    bool known = kind == "EXPLICIT";
    for (std::size_t d = 0; d < rank; ++d) {
      const ModuleNode &low = shape[3 + 2 * d], &high = shape[4 + 2 * d];
      known = known && low[0].word == "CONSTANT" && high[0].word == "CONSTANT";
    }
    for (std::size_t d = 0; d < rank; ++d) {
      if (d > 0) text += ", ";
      if (known)
        text += shape[3 + 2 * d][3].word + ":" + shape[4 + 2 * d][3].word;
      else if (kind == "ASSUMED_SHAPE" || kind == "DEFERRED")
        text += ":";
      else
        text += d + 1 < rank ? "1" : "*";
    }
    return "(" + text + ")";
  }

  void add_generic(const ModuleNode& generic) {
    std::string text;
    for (std::size_t i = 2; i < generic.list.size(); ++i) {
      const auto symbol = symbols_.find(generic[i].word);
      const auto one = declared_.find(generic[i].word);
      if (one != declared_.end())
        text.append("  procedure :: ").append(one->second).append("\n");
      else if (symbol == symbols_.end() || (symbol->second.module == module_ && !symbol->second.is("DERIVED")))
        understood_ = false;
    }
    if (!text.empty()) interfaces_ += "interface " + generic[0].word + "\n" + text + "end interface\n";
  }

  std::map<std::string, ModuleSymbol> symbols_;
  std::map<std::string, std::string> public_;  ///< names, and numbers of symbols
  ModuleNode operators_, generics_;
  bool understood_ = true;
  bool overlaps_ = false;  ///< EQUIVALENCE
  std::string module_, types_, data_, procedures_, interfaces_;
  std::map<std::string, bool> types_added_;      ///< by number
  std::map<std::string, std::string> declared_;  ///< procedures, by number
  std::set<std::string> hidden_;
};

}  // namespace

std::optional<std::string> source_of_module(const std::filesystem::path& file) {
  const auto text = module_text(file);
  if (!text || !text->starts_with("GFORTRAN module version '15'")) return {};
  const std::vector<ModuleNode> parts =
      parse_module(std::string_view(*text).substr(std::min(text->find('\n'), text->size())));
  if (parts.size() < 8) return {};
  return Writer(parts).run(lower(file.stem().string()));
}

}  // namespace cppc::fortran
