#include "marks.hpp"

#include <clang/Lex/Preprocessor.h>

#include "dead_range.hpp"
#include "frontend/syntax.hpp"
#include "names.hpp"
#include "scope.hpp"

namespace cppc::rewrite {

namespace {

std::string bounds_name(ir::Node object) { return "cppc_bounds_" + std::to_string(object); }

class Marker {
 public:
  Marker(const Rewriting& rewriting, ir::Index point)
      : rewriting_(rewriting),
        point_(point),
        marker_(rewriting.program.markers[rewriting.plan.points[point].marker]),
        site_(rewriting.source.markers[marker_.handle]),
        function_(rewriting.source.functions[rewriting.program.functions[marker_.function].handle].declaration),
        one_of_several_(frontend::is_one_of_several(rewriting.source, site_.unit, function_)),
        ast_(rewriting.source.units[site_.unit].ast->getASTContext()),
        mark_{.unit = site_.unit, .loop = site_.statement, .code = {}, .elsewhere = {}, .dead = {}, .unnamed = {}} {}

  Mark run();

 private:
  /// In C: where an object is, and how large.
  struct Place {
    std::string address, bytes;
  };

  bool visible(const clang::VarDecl* variable) const;
  bool behind(const clang::VarDecl* variable) const;
  std::optional<Place> place(ir::Node object);
  std::string objects();
  std::string ranges();
  std::string bounds(const analysis::Ahead& ahead);

  const Rewriting& rewriting_;
  ir::Index point_;
  const ir::Marker& marker_;
  const frontend::MarkerSite& site_;
  const clang::FunctionDecl* function_;
  const bool one_of_several_;
  clang::ASTContext& ast_;
  Mark mark_;
};

bool Marker::visible(const clang::VarDecl* variable) const {
  if (!can_be_named(variable, function_)) return false;
  if (is_macro(ast_, variable->getName())) return false;
  if (variable->hasGlobalStorage() && !variable->isStaticLocal())
    return named_before(ast_, function_, variable, site_.statement);
  return !shares_name(function_, variable) && in_scope(ast_, function_, variable, site_.statement, true);
}

/// Whether control comes by its declaration on every way to where it is named.
bool Marker::behind(const clang::VarDecl* variable) const {
  const clang::Stmt* at = site_.part == frontend::Part::body ? frontend::body_of(site_.statement) : site_.statement;
  if (site_.part != frontend::Part::body && site_.part != frontend::Part::statement) return false;
  const auto& manager = ast_.getSourceManager();
  return manager.isBeforeInTranslationUnit(manager.getExpansionLoc(at->getBeginLoc()),
                                           manager.getExpansionLoc(variable->getBeginLoc()));
}

/// By its name where it has one here, else by its bounds, which its own file tells.
std::optional<Marker::Place> Marker::place(ir::Node object) {
  const ir::Object& o = rewriting_.program.objects[object];
  if (o.handle == ir::none || (o.storage != ir::Storage::global && o.storage != ir::Storage::local)) return {};
  const auto& variable = rewriting_.source.variables[o.handle];
  const clang::VarDecl* declaration = variable.declaration;
  if (declaration->getTLSKind() != clang::VarDecl::TLS_None || declaration->getType().isVolatileQualified()) return {};
  if (variable.unit == site_.unit && visible(declaration)) {
    const std::string name = name_of(declaration);
    return Place{declaration->getType()->isArrayType() ? name : "&" + name, "sizeof " + name};
  }
  if (o.storage != ir::Storage::global || declaration->isStaticLocal() || !o.defined) return {};
  if (!can_be_named(declaration, nullptr) || is_macro(declaration->getASTContext(), declaration->getName())) return {};
  mark_.elsewhere.insert(object);
  const std::string name = bounds_name(object);
  return Place{name + "[0]", "(size_t)(" + name + "[1] - " + name + "[0])"};
}

std::string Marker::objects() {
  std::string code;
  for (const unsigned object : rewriting_.plan.dead[point_]) {
    const auto found = place(object);
    if (!found) {
      mark_.unnamed.push_back(object);
      continue;
    }
    code += "cppc_dead_range(" + found->address + ", " + found->bytes + "); ";
    mark_.dead.push_back({rewriting_.program.names.at(object), found->bytes, "not needed any more"});
  }
  return code;
}

/// What memory outside the heap consists of, where a claim depends on which object it is in.
std::string Marker::bounds(const analysis::Ahead& ahead) {
  const ir::Target& target = rewriting_.program.overwrites[ahead.overwrite].target;
  analysis::Objects objects;
  if (target.object != ir::nothing) objects.set(target.object);
  if (target.object == ir::nothing) objects = rewriting_.points_to[target.pointer];
  std::string code;
  for (const unsigned object : objects)
    if (const auto found = place(object)) code += "cppc_object(" + found->address + ", " + found->bytes + "); ";
  return code;
}

std::string Marker::ranges() {
  std::set<std::string> codes;
  for (const analysis::Ahead& ahead : rewriting_.plan.ahead[point_]) {
    const DeadRange range = dead_range(
        rewriting_.program, rewriting_.source, ast_, ahead, function_,
        [this](const clang::VarDecl* variable) { return visible(variable); },
        [this](const clang::VarDecl* variable) { return behind(variable); });
    if (range.code.empty()) continue;
    const bool by_object = !ahead.apart.empty() || ahead.within.object != ir::nothing;
    if (!codes.insert((by_object ? bounds(ahead) : "") + range.code).second) continue;
    mark_.dead.push_back({range.address, range.bytes, "overwritten before it is read"});
  }
  std::string code;
  for (const std::string& one : codes) code += one;
  return code;
}

Mark Marker::run() {
  // Other functions may be made of the same text.
  std::string dead = one_of_several_ ? "" : objects();
  if (!one_of_several_) dead += ranges();
  mark_.code = "if (cppc_safe_point(" + std::to_string(point_ + 1) + ")) { " + dead + "cppc_stop_here(); } ";
  return std::move(mark_);
}

}  // namespace

std::vector<Mark> make_marks(const Rewriting& rewriting) {
  std::vector<Mark> marks;
  for (ir::Index point = 0; point < rewriting.plan.points.size(); ++point)
    marks.push_back(Marker(rewriting, point).run());
  return marks;
}

std::string bounds_declaration(ir::Node object) {
  return "extern const char* const " + bounds_name(object) + "[2] __attribute__((visibility(\"hidden\")));\n";
}

std::string bounds_definition(const Rewriting& rewriting, ir::Node object) {
  const auto& site = rewriting.source.variables[rewriting.program.objects[object].handle];
  const std::string name = name_of(site.declaration);
  return bounds_declaration(object) + "const char* const " + bounds_name(object) + "[2] = {(const char*)&" + name +
         ", (const char*)(&" + name + " + 1)};\n";
}

}  // namespace cppc::rewrite
