#include "unit.hpp"

#include <clang/AST/DeclTemplate.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "calls.hpp"
#include "frontend/syntax.hpp"
#include "marks.hpp"
#include "routine.hpp"
#include "scope.hpp"

namespace cppc::rewrite {

namespace {

/// Static objects that have to be declared to the runtime: those saved at some safe point that may change.
std::set<ir::Node> objects_to_declare(const Rewriting& rewriting) {
  std::set<ir::Node> declared;
  for (const unsigned object : rewriting.plan.saved) {
    const ir::Object& o = rewriting.program.objects[object];
    if (o.storage != ir::Storage::global || o.handle == ir::none) continue;
    declared.insert(object);
  }
  return declared;
}

/// Whether there may be a function in it: in C++, which classes, namespaces and templates have, too.
bool may_have_functions(const clang::Decl* d) {
  const auto* function = llvm::dyn_cast<clang::FunctionDecl>(d);
  if (function != nullptr) return function->doesThisDeclarationHaveABody();
  return d->getASTContext().getLangOpts().CPlusPlus && !d->isImplicit() &&
         llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl, clang::TagDecl, clang::TemplateDecl, clang::VarDecl>(
             d);
}

class UnitRewriter {
 public:
  UnitRewriter(const Rewriting& rewriting, ir::Index unit, std::vector<analysis::Refusal>& refusals)
      : rewriting_(rewriting),
        unit_(unit),
        ast_(rewriting.source.units[unit].ast->getASTContext()),
        refusals_(refusals),
        editor_(*rewriting.source.units[unit].ast),
        types_(ast_, "cppc_"),
        declared_(objects_to_declare(rewriting)) {}

  std::optional<std::string> run();

 private:
  void rewrite_routines();
  void rewrite_for_restarts();
  void insert_marks();
  void declare_objects();
  void declare_constants();
  void declare_functions();
  void declare_types();
  void insert_prologue();
  void remove_pragmas();
  Offset prologue_place() const;
  std::string file() const { return rewriting_.source.units[unit_].command.file; }

  const Rewriting& rewriting_;
  ir::Index unit_;
  clang::ASTContext& ast_;
  std::vector<analysis::Refusal>& refusals_;
  Editor editor_;
  Types types_;
  std::set<ir::Node> declared_;
  std::string tables_, records_, macros_, declarations_;
  bool has_main_ = false;
};

void UnitRewriter::rewrite_routines() {
  Context context{rewriting_.program, rewriting_.source, rewriting_.plan, ast_, editor_, types_, refusals_, declared_};
  for (const analysis::Routine& routine : rewriting_.plan.routines) {
    const ir::Function& function = rewriting_.program.functions[routine.function];
    if (rewriting_.source.functions[function.handle].unit != unit_) continue;
    RoutineRewriter rewriter(context, routine);
    rewriter.run();
    tables_ += rewriter.tables();
    has_main_ |= routine.function == rewriting_.program.entry();
  }
}

void UnitRewriter::declare_objects() {
  std::string globals;
  const std::string base = std::filesystem::path(file()).filename().string();
  for (const ir::Node object : declared_) {
    const ir::Object& o = rewriting_.program.objects[object];
    const auto& site = rewriting_.source.variables[o.handle];
    if (site.unit != unit_) continue;
    const clang::VarDecl* variable = site.declaration;
    const std::string own = variable->getNameAsString();
    if (const auto why = types_.obstacle(variable->getType())) {
      refusals_.push_back({rewriting_.program.places.at(object),
                           "the variable '" + own + "' is live at a safe point, and " + *why,
                           "use a type whose members say what they hold"});
      continue;
    }
    const Shape shape = types_.shape(variable->getType(), "__typeof__(" + own + ")");
    const std::string name =
        variable->hasExternalFormalLinkage() ? own : base + ":" + rewriting_.program.names.at(object);
    const std::string entry = "{\"" + name + "\", (void*)" + (variable->getType()->isArrayType() ? "" : "&") + own +
                              ", " + shape.type + ", " + shape.count + "}";
    if (!variable->isStaticLocal()) {
      globals += "  " + entry + ",\n";
      continue;
    }
    const auto* declaration = llvm::dyn_cast_or_null<clang::DeclStmt>(frontend::parent_of(ast_, *variable));
    const auto end = declaration != nullptr ? editor_.end_of(declaration) : std::nullopt;
    if (!end) {
      refusals_.push_back({rewriting_.program.places.at(object),
                           "the static variable '" + own + "' is not in the file that is translated", "move it there"});
      continue;
    }
    editor_.close(*end, " static cppc_global cppc_global_" + std::to_string(object) +
                            " __attribute__((section(\"cppc_globals\"), used, aligned(sizeof(void*)))) = " + entry +
                            ";");
  }
  if (!globals.empty())
    records_ +=
        "static cppc_global cppc_globals_here[] __attribute__((section(\"cppc_globals\"), used, "
        "aligned(sizeof(void*)))) = {\n" +
        globals + "};\n";
}

/// Tables and structures that never change: not saved, but pointers may lead to them.
void UnitRewriter::declare_constants() {
  std::string constants;
  const std::string base = std::filesystem::path(file()).filename().string();
  for (ir::Node object = 0; object < rewriting_.program.objects.size(); ++object) {
    const ir::Object& o = rewriting_.program.objects[object];
    if (o.storage != ir::Storage::global || o.handle == ir::none || declared_.contains(object)) continue;
    const auto& site = rewriting_.source.variables[o.handle];
    const clang::VarDecl* variable = site.declaration;
    const clang::QualType type = variable->getType();
    const bool table = type->isArrayType() || type->isRecordType();
    if (site.unit != unit_ || !table || variable->isStaticLocal() || types_.obstacle(type)) continue;
    if (!ast_.getBaseElementType(type).isConstQualified() || !variable->hasInit()) continue;
    const std::string own = variable->getNameAsString();
    const Shape shape = types_.shape(type, "__typeof__(" + own + ")");
    constants.append("  {\"");
    if (!variable->hasExternalFormalLinkage()) constants.append(base).append(":");
    constants.append(own).append("\", (void*)").append(type->isArrayType() ? "" : "&").append(own);
    constants.append(", ").append(shape.type).append(", ").append(shape.count).append("},\n");
  }
  if (!constants.empty())
    records_ +=
        "static cppc_global cppc_constants_here[] __attribute__((section(\"cppc_constants\"), used, "
        "aligned(sizeof(void*)))) = {\n" +
        constants + "};\n";
}

/// Functions of the program whose address is taken somewhere.
void UnitRewriter::declare_functions() {
  std::string functions;
  const std::string base = std::filesystem::path(file()).filename().string();
  for (const auto& object : rewriting_.program.objects) {
    if (object.storage != ir::Storage::function || !rewriting_.program.functions[object.function].defined) continue;
    const auto& site = rewriting_.source.functions[object.handle];
    if (site.unit != unit_) continue;
    const std::string own = site.declaration->getNameAsString();
    if (own == "main") continue;
    const bool external = site.declaration->isExternallyVisible();
    functions += "  {\"" + (external ? own : base + ":" + own) + "\", (void (*)(void))" + own + "},\n";
  }
  if (!functions.empty())
    records_ +=
        "static cppc_function cppc_functions_here[] __attribute__((section(\"cppc_functions\"), used, "
        "aligned(sizeof(void*)))) = "
        "{\n" +
        functions + "};\n";
}

/// Structures, which only their own files can name.
void UnitRewriter::declare_types() {
  if (const std::string types = types_.list(); !types.empty())
    records_ +=
        "static const cppc_type* cppc_types_here[] __attribute__((section(\"cppc_types\"), used, "
        "aligned(sizeof(void*)))) = {\n" +
        types + "};\n";
}

/// The first function of the main file or the first change before it, whatever comes first: what is inserted there
/// stands behind the includes that come before it. The end of a file that has neither.
Offset UnitRewriter::prologue_place() const {
  const auto changed = editor_.first();
  for (const clang::Decl* d : ast_.getTranslationUnitDecl()->decls()) {
    if (!may_have_functions(d)) continue;
    const auto begin = editor_.begin(d->getSourceRange().getBegin());
    if (!begin || editor_.in_main_file(*begin) != *begin) continue;
    return changed && *changed < *begin ? *changed : *begin;
  }
  return changed.value_or(editor_.end_of_file());
}

void UnitRewriter::insert_prologue() {
  const Offset begin = prologue_place();
  const std::string header = rewriting_.marks != nullptr ? "safe_points.h" : "cppc.h";
  std::string text = "\n#include <cppc/" + header + ">\n" + types_.declarations();
  text += macros_ + declarations_;
  if (has_main_) {
    for (const auto& [section, type, pointer] : {std::tuple{"globals", "cppc_global ", ""},
                                                 {"functions", "cppc_function ", ""},
                                                 {"requireds", "cppc_required ", ""},
                                                 {"types", "cppc_type ", "*const "},
                                                 {"constants", "cppc_global ", ""}})
      text += std::string("extern const ") + type + pointer + "__start_cppc_" + section + "[] __attribute__((weak)), " +
              pointer + "__stop_cppc_" + section + "[] __attribute__((weak));\n";
    text +=
        "static const cppc_program cppc_program_records = {__start_cppc_globals, __stop_cppc_globals, "
        "__start_cppc_functions,\n"
        "  __stop_cppc_functions, __start_cppc_requireds, __stop_cppc_requireds, __start_cppc_types, "
        "__stop_cppc_types,\n"
        "  __start_cppc_constants, __stop_cppc_constants};\n";
  }
  editor_.open_first(begin, text + "#line " + std::to_string(editor_.line(begin)) + "\n");
}

void UnitRewriter::remove_pragmas() {
  for (const auto& pragma : rewriting_.source.units[unit_].pragmas)
    editor_.replace(editor_.at(pragma.offset), pragma.length, "");
}

void UnitRewriter::rewrite_for_restarts() {
  rewrite_routines();
  CallRewriter calls(rewriting_, unit_, editor_, types_, refusals_);
  calls.run();
  macros_ = calls.macros();
  tables_ += calls.tables();
  declare_objects();
  declare_constants();
  declare_functions();
  declare_types();
}

void UnitRewriter::insert_marks() {
  std::set<ir::Node> named_elsewhere, named_here;
  std::set<Offset> places;  // one may be that of several functions, made from a template
  for (const Mark& mark : *rewriting_.marks) {
    for (const ir::Node object : mark.elsewhere)
      if (rewriting_.source.variables[rewriting_.program.objects[object].handle].unit == unit_)
        named_elsewhere.insert(object);
    if (mark.unit != unit_ || !places.insert(mark.loop->getBeginLoc().getRawEncoding()).second) continue;
    if (!insert_in_body(editor_, mark.loop, mark.code))
      refusals_.push_back({frontend::position(ast_.getSourceManager(), mark.loop->getBeginLoc(), rewriting_.program),
                           "the loop's body is not in a file that can be changed", "write it out there"});
    named_here.insert(mark.elsewhere.begin(), mark.elsewhere.end());
  }
  for (const ir::Node object : named_here) declarations_ += bounds_declaration(object);
  for (const ir::Node object : named_elsewhere) records_ += bounds_definition(rewriting_, object);
}

std::optional<std::string> UnitRewriter::run() {
  const bool by_address = rewriting_.marks != nullptr;
  by_address ? insert_marks() : rewrite_for_restarts();
  if (editor_.empty() && records_.empty()) return {};
  remove_pragmas();
  insert_prologue();
  // A process that takes over jumps over initialisations, and finds the variables' values in the shadow.
  static const std::string quiet =
      "#if defined __GNUC__ && !defined __clang__\n#pragma GCC diagnostic ignored \"-Wmaybe-uninitialized\"\n#endif\n";
  return (by_address ? "" : quiet) + "#line 1 \"" + quoted(file()) + "\"\n" + editor_.text() + "\n" +
         types_.definitions() + tables_ + records_;
}

}  // namespace

std::optional<std::string> rewrite_unit(const Rewriting& rewriting, ir::Index unit,
                                        std::vector<analysis::Refusal>& refusals) {
  return UnitRewriter(rewriting, unit, refusals).run();
}

}  // namespace cppc::rewrite
