#include "shadow.hpp"

#include <algorithm>
#include <cctype>

#include "frontend/syntax.hpp"

namespace cppc::rewrite {

namespace {

/// Where the word stands in C text, not as a part of another one.
std::size_t find_word(const std::string& text, const std::string& word, std::size_t from) {
  const auto in_word = [&](std::size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_');
  };
  for (std::size_t at = text.find(word, from); at != std::string::npos; at = text.find(word, at + 1))
    if (!in_word(at - 1) && !in_word(at + word.size())) return at;
  return std::string::npos;
}

}  // namespace

void Shadow::add(int place, const clang::VarDecl* variable) {
  const auto [entry, fresh] = member_of_.try_emplace(variable, members_.size());
  live_[place].push_back(entry->second);
  if (!fresh) return;
  members_.push_back(make_member(variable));
  const clang::QualType type = variable->getType();
  if (const auto why = context_.types.obstacle(type))
    context_.refuse(function_.declaration->getBody(),
                    "the variable '" + variable->getNameAsString() + "' of " + function_.name +
                        "() is live at a safe point, and " + *why,
                    "use a type whose members say what they hold");
  if (type.isConstQualified() || context_.ast.getBaseElementType(type).isConstQualified()) drop_const(variable);
}

Shadow::Member Shadow::make_member(const clang::VarDecl* variable) const {
  const std::string own = variable->getNameAsString();
  std::string name = own;
  for (int copy = 2; std::ranges::find(members_, name, &Member::name) != members_.end(); ++copy)
    name = own + "_" + std::to_string(copy);
  return {variable, name, !by_value(variable), variable->getType()->isVariableArrayType()};
}

bool Shadow::by_value(const clang::VarDecl* variable) const {
  const auto node = context_.source.nodes.find(variable->getCanonicalDecl());
  if (node == context_.source.nodes.end()) return false;  // only its size is used
  const ir::Object& object = context_.program.objects[node->second];
  return object.storage == ir::Storage::local && object.scalar && !object.address_taken;
}

/// The variable is written when its process takes over: it cannot be constant in its own function.
void Shadow::drop_const(const clang::VarDecl* variable) const {
  const auto from = context_.editor.begin(variable->getBeginLoc());
  const auto to = context_.editor.begin(variable->getLocation());
  const std::string text = from && to ? context_.editor.original({*from, *to}) : std::string();
  const bool pointer = context_.ast.getBaseElementType(variable->getType())->isPointerType();
  const std::size_t star = pointer ? text.rfind('*') : std::string::npos;
  const std::size_t at = find_word(text, "const", star == std::string::npos ? 0 : star);
  if (at == std::string::npos)
    return context_.refuse(function_.declaration->getBody(),
                           "the variable '" + variable->getNameAsString() + "' of " + function_.name +
                               "() is live at a safe point and constant, and its declaration does not say 'const'",
                           "leave 'const' out of its type");
  context_.editor.replace(*from + static_cast<Offset>(at), 5, "     ");
}

void Shadow::add_extents(int place, const clang::VarDecl* variable) {
  for (const std::string& extent : extents(variable)) lengths_[place].insert(extent);
}

const std::vector<std::string>& Shadow::extents(const clang::VarDecl* variable) {
  auto [entry, fresh] = extents_.try_emplace(variable);
  if (!fresh) return entry->second;
  for (std::size_t i = 1; i <= frontend::variable_arrays(context_.ast, variable->getType()).size(); ++i)
    entry->second.push_back(variable->getNameAsString() + "_extent_" + std::to_string(i) + "_" +
                            std::to_string(extents_.size()));
  return entry->second;
}

void Shadow::add_value(int call) { values_.push_back(call); }

std::vector<const Shadow::Member*> Shadow::live_at(int place) const {
  std::vector<const Member*> live;
  if (const auto found = live_.find(place); found != live_.end())
    for (const std::size_t m : found->second) live.push_back(&members_[m]);
  return live;
}

std::string Shadow::store_values(int place) const {
  std::string code;
  for (const Member* member : live_at(place)) {
    if (member->in_memory) continue;
    const clang::QualType type = member->variable->getType();
    const bool data = type->isPointerType() && !type->isFunctionPointerType() && handle(type) == nullptr;
    code += "cppc_live." + member->name + " = " + (data ? "(void*)" : "") +
            (type->isFunctionPointerType() ? "(void (*)(void))" : "") + member->variable->getNameAsString() + "; ";
  }
  return code;
}

std::string Shadow::store_addresses(int place) const {
  std::string code;
  for (const Member* member : live_at(place)) {
    if (!member->in_memory) continue;
    const std::string variable = member->variable->getNameAsString();
    const bool array = member->variable->getType()->isArrayType();
    code += "cppc_live." + member->name + "_at = (void*)" + (array ? "" : "&") + variable + "; ";
    if (!member->variable_length) continue;
    std::string element = variable;
    for (clang::QualType t = member->variable->getType(); const auto* a = context_.ast.getAsArrayType(t);
         t = a->getElementType())
      element += "[0]";
    code += "cppc_live." + member->name + "_length = sizeof(" + variable + ") / sizeof(" + element + "); ";
  }
  return code;
}

std::string Shadow::load_values(int place) const {
  std::string code;
  for (const Member* member : live_at(place)) {
    if (member->in_memory) continue;
    const std::string variable = member->variable->getNameAsString();
    const bool function = member->variable->getType()->isFunctionPointerType();
    code += variable + " = " + (function ? "(__typeof__(" + variable + "))" : "") + "cppc_live." + member->name + "; ";
  }
  return code;
}

/// A member that holds a scalar; pointers lose what they point to.
std::string Shadow::declare(clang::QualType type, const std::string& name) const {
  if (type->isFunctionPointerType()) return "void (*" + name + ")(void)";
  if (handle(type) != nullptr) return declaration(context_.ast, type, name);
  if (type->isPointerType()) return "void* " + name;
  return declaration(context_.ast, context_.ast.getCanonicalType(type), name);
}

std::string Shadow::members() const {
  std::string members;
  for (const Member& member : members_) {
    if (!member.in_memory) members += "  " + declare(member.variable->getType(), member.name) + ";\n";
    if (member.in_memory) members += "  void* " + member.name + "_at;\n";
    if (member.in_memory && member.variable_length) members += "  size_t " + member.name + "_length;\n";
  }
  std::set<std::string> lengths;
  for (const auto& [place, names] : lengths_) lengths.insert(names.begin(), names.end());
  for (const std::string& length : lengths) members += "  size_t " + length + ";\n";
  for (const int call : values_) members += "  " + declare(function_.call(call)->getType(), value(call)) + ";\n";
  return members.empty() ? "  char nothing;\n" : members;
}

void Shadow::describe(const Member& member, Rows& rows) const {
  const std::string live = structure();
  const Shape shape =
      context_.types.shape(member.variable->getType(), "__typeof__(((" + live + "*)0)->" + member.name + ")");
  if (!member.in_memory)
    rows.fields += "  {\"" + member.variable->getNameAsString() + "\", offsetof(" + live + ", " + member.name + "), " +
                   shape.type + ", " + shape.count + "},\n";
  else
    rows.variables += "  {\"" + member.name + "\", " + shape.type + ", " +
                      (member.variable_length ? "0" : shape.count) + ", offsetof(" + live + ", " + member.name +
                      "_at), " + (member.variable_length ? "offsetof(" + live + ", " + member.name + "_length)" : "0") +
                      "},\n";
}

Shadow::Rows Shadow::rows(int place) const {
  Rows rows;
  for (const Member* member : live_at(place)) describe(*member, rows);
  const auto add = [&](const std::string& member, const Shape& shape) {
    rows.fields += "  {\"" + member + "\", offsetof(" + structure() + ", " + member + "), " + shape.type + ", " +
                   shape.count + "},\n";
  };
  if (const auto found = kept_.find(place); found != kept_.end())
    for (const auto& [member, call] : found->second) add(member, context_.types.shape(function_.call(call)->getType()));
  if (const auto found = lengths_.find(place); found != lengths_.end())
    for (const std::string& length : found->second) add(length, {"&cppc_type_unsigned_long", "1"});
  return rows;
}

std::string Shadow::tables() const {
  const std::string& name = function_.name;
  std::string tables, places;
  for (int place = 1; place <= function_.places(); ++place) {
    const std::string id = name + "_" + std::to_string(place);
    const auto [fields, variables] = rows(place);
    if (!fields.empty()) {
      tables += "static const cppc_field cppc_fields_" + id + "[] = {\n" + fields + "};\n";
      tables += "static const cppc_type cppc_shadow_" + id + " = {CPPC_STRUCT, sizeof(" + structure() + "), \"" +
                structure() + "\", cppc_fields_" + id + ", sizeof cppc_fields_" + id + " / sizeof *cppc_fields_" + id +
                "};\n";
    }
    if (!variables.empty())
      tables += "static const cppc_variable cppc_variables_" + id + "[] = {\n" + variables + "};\n";
    const std::string array = "cppc_variables_" + id;
    places += "  {" + (fields.empty() ? "NULL" : "&cppc_shadow_" + id) + ", " +
              (variables.empty() ? "NULL, 0" : array + ", sizeof " + array + " / sizeof *" + array) + "},\n";
  }
  tables += "static const cppc_place cppc_places_" + name + "[] = {\n" + places + "};\n";
  return tables + "static const cppc_routine cppc_routine_" + name + " = {\"" + name + "\", cppc_places_" + name +
         ", " + std::to_string(function_.places()) + "};\n";
}

}  // namespace cppc::rewrite
