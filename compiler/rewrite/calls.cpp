#include "calls.hpp"

#include <clang/Lex/Lexer.h>

#include "frontend/syntax.hpp"

namespace cppc::rewrite {

namespace {

/// Functions of the heap: the runtime's parameters behind the type.
struct Allocator {
  const char* name;
  const char* parameters;
  bool typed;
};
constexpr Allocator kAllocators[] = {
    {"malloc", "bytes", true},
    {"calloc", "number, bytes", true},
    {"realloc", "block, bytes", true},
    {"aligned_alloc", "alignment, bytes", true},
    {"memalign", "alignment, bytes", true},
    {"posix_memalign", "block, alignment, bytes", true},
    {"strdup", "text", false},
    {"strndup", "text, length", false},
    {"free", "block", false},
};

const Allocator* allocator(const std::string& name) {
  const auto* found = std::ranges::find_if(kAllocators, [&](const Allocator& a) { return name == a.name; });
  return found != std::end(kAllocators) ? found : nullptr;
}

std::string own_name(const std::string& name) { return name == "memalign" ? "cppc_aligned_alloc" : "cppc_" + name; }

/// The type of a sizeof in the expression.
clang::QualType size_of(const clang::Stmt* s) {
  if (s == nullptr) return {};
  if (const auto* trait = llvm::dyn_cast<clang::UnaryExprOrTypeTraitExpr>(s);
      trait != nullptr && trait->getKind() == clang::UETT_SizeOf)
    return trait->getTypeOfArgument();
  for (const clang::Stmt* child : s->children())
    if (const clang::QualType found = size_of(child); !found.isNull()) return found;
  return {};
}

}  // namespace

/// Descriptor of what a block will hold. Characters may be anything: the runtime looks at such blocks more closely.
std::string CallRewriter::element(const ir::Call&, const frontend::CallSite& site) {
  clang::QualType type = site.type;
  const auto unknown = [](clang::QualType t) {
    return t.isNull() || t->isVoidType() || t->isAnyCharacterType() || t->isIncompleteType();
  };
  if (unknown(type))
    for (const clang::Expr* argument : site.call->arguments())
      if (const clang::QualType found = size_of(argument); !found.isNull()) type = found;
  if (unknown(type) || types_.obstacle(type)) return "&cppc_type_bytes";
  const Shape shape = types_.shape(type);
  return shape.count.empty() ? "&cppc_type_bytes" : shape.type;
}

/// The outermost expression of a macro's expansion that makes up all of it, or null.
const clang::Expr* CallRewriter::whole_expansion(const clang::Expr* call) const {
  auto& ast = rewriting_.source.units[unit_].ast->getASTContext();
  const auto& manager = ast.getSourceManager();
  const clang::Expr* outermost = call;
  for (;;) {
    const auto* up = llvm::dyn_cast_or_null<clang::Expr>(frontend::parent_of(ast, *outermost));
    if (up == nullptr || !llvm::isa<clang::CastExpr, clang::ParenExpr>(up) || !up->getBeginLoc().isMacroID()) break;
    outermost = up;
  }
  clang::SourceLocation begin, end;
  if (!clang::Lexer::isAtStartOfMacroExpansion(outermost->getBeginLoc(), manager, ast.getLangOpts(), &begin) ||
      !clang::Lexer::isAtEndOfMacroExpansion(outermost->getEndLoc(), manager, ast.getLangOpts(), &end) ||
      !begin.isFileID() || !end.isFileID())
    return nullptr;
  return outermost;
}

void CallRewriter::replace(const ir::Call& call, const frontend::CallSite& site, const models::Model& model) {
  const clang::SourceLocation name = site.call->getCallee()->getBeginLoc();
  const Allocator* known = allocator(call.name);
  const std::string made = known != nullptr ? own_name(call.name) : model.replaced;
  const auto at = editor_.begin(name);
  if (!at) return;  // in a header
  if (name.isMacroID()) {
    in_macros_.insert(call.name);
    if (known == nullptr || !known->typed) return;
    const std::string type = element(call, site);
    const clang::Expr* whole = type != "&cppc_type_bytes" ? whole_expansion(site.call) : nullptr;
    if (whole == nullptr) return;
    if (const auto range = editor_.range(whole)) editor_.enclose(*range, "cppc_typed(" + type + ", ", ")");
    return;
  }
  editor_.replace(*at, static_cast<unsigned>(call.name.size()), made);
  if (known == nullptr || !known->typed || site.call->getNumArgs() == 0) return;
  if (const auto first = editor_.begin(site.call->getArg(0)->getBeginLoc()))
    editor_.open(*first, element(call, site) + ", ");
}

/// Whether `#pragma cppc execute` stands before the call's statement.
bool CallRewriter::marked(const frontend::CallSite& site) {
  const auto begin = editor_.begin(site.call->getBeginLoc());
  if (!begin || editor_.in_main_file(*begin) != *begin) return false;
  for (frontend::Pragma& pragma : rewriting_.source.units[unit_].pragmas) {
    const Offset end = editor_.at(pragma.offset + pragma.length);
    if (pragma.word != "execute" || end > *begin || pragma.used) continue;
    if (editor_.original({end, *begin}).find_first_of(";{}") != std::string::npos) continue;
    pragma.used = true;
    return true;
  }
  return false;
}

/// A call that a process which takes over makes again, with the arguments that it had.
void CallRewriter::require(const ir::Call& call, const frontend::CallSite& site) {
  auto& ast = rewriting_.source.units[unit_].ast->getASTContext();
  const auto refuse = [&](const std::string& why) {
    refusals_.push_back({call.where, call.name + "() has to be called again in a new process, and " + why,
                         "call it plainly, in a statement of its own"});
  };
  const auto range = editor_.range(site.call);
  const auto* caller = rewriting_.source.functions[rewriting_.program.functions[call.caller].handle].declaration;
  const auto function = editor_.begin(caller->getSourceRange().getBegin());
  if (site.call->getBeginLoc().isMacroID() || !range || !function) return refuse("is called in a macro");
  const std::string number = std::to_string(++required_), structure = "struct cppc_arguments_" + number,
                    here = "cppc_arguments_here_" + number, type = "cppc_arguments_type_" + number;
  std::string members, fields, passed, set;
  for (unsigned i = 0; i < site.call->getNumArgs(); ++i) {
    const clang::Expr* argument = site.call->getArg(i);
    if (!argument->getType()->isScalarType()) return refuse("has an argument that is no number and no pointer");
    const std::string name = "a" + std::to_string(i);
    members += declaration(ast, ast.getCanonicalType(argument->getType()), name) + "; ";
    const Shape shape = types_.shape(argument->getType());
    fields.append("  {\"" + name + "\", offsetof(").append(structure).append(", ").append(name).append("), ");
    fields.append(shape.type).append(", ").append(shape.count).append("},\n");
    passed += (i > 0 ? ", a->" : "a->") + name;
    const auto text = editor_.range(argument);
    if (!text) return refuse("has an argument that is not in the file that is translated");
    set += here + "." + name + " = (" + editor_.original(*text) + "), ";
  }
  const bool result = !site.call->getType()->isVoidType();
  const bool used = result && !llvm::isa_and_nonnull<clang::CompoundStmt>(frontend::parent_of(ast, *site.call));
  const std::string value = "cppc_result_" + number;
  std::string text = "\n" + structure + " { " + (members.empty() ? "char none; " : members) + "};\nstatic " +
                     structure + " " + here + ";\n";
  if (result) text += "static " + declaration(ast, ast.getCanonicalType(site.call->getType()), value) + ";\n";
  text += "static void cppc_call_" + number + "(void* p) { " + structure + "* a = p; (void)a; " +
          (result ? value + " = " : "") + call.name + "(" + passed + "); }\n";
  if (!fields.empty()) text += "static const cppc_type " + type + ";\n";
  text += "static cppc_required cppc_required_" + number +
          " __attribute__((section(\"cppc_requireds\"), used, aligned(sizeof(void*)))) = {\"" +
          quoted(editor_.file(range->begin)) + ":" + std::to_string(call.where.line) + " " + call.name +
          "\", cppc_call_" + number + ", " + (fields.empty() ? "NULL" : "&" + type) + "};\n#line " +
          std::to_string(editor_.line(*function)) + "\n";
  editor_.open(*function, text);
  if (!fields.empty())
    tables_ += "static const cppc_field " + type + "_fields[] = {\n" + fields + "};\nstatic const cppc_type " + type +
               " = {CPPC_STRUCT, sizeof(" + structure + "), \"arguments of " + call.name + "()\", " + type +
               "_fields, sizeof " + type + "_fields / sizeof *" + type + "_fields};\n";
  editor_.replace(*range, "(" + set + "cppc_execute(&cppc_required_" + number + ", " +
                              (fields.empty() ? "NULL" : "&" + here) + ")" + (used ? ", " + value : "") + ")");
}

/// What a function of the program allocates for its caller gets the type that the caller uses it as.
void CallRewriter::give_type(const ir::Call& call, const frontend::CallSite& site) {
  if (site.type.isNull() || !(site.call->getType()->isVoidPointerType() || site.call->getType()->isPointerType()))
    return;
  if (!site.call->getType()->getPointeeType()->isVoidType() &&
      !site.call->getType()->getPointeeType()->isAnyCharacterType())
    return;
  const auto& targets = rewriting_.points_to[call.result];
  bool allocates = false;
  for (const unsigned object : targets) allocates |= rewriting_.program.objects[object].storage == ir::Storage::heap;
  const std::string type = allocates ? element(call, site) : "&cppc_type_bytes";
  if (type == "&cppc_type_bytes") return;
  const clang::Expr* wrapped = site.call;
  if (site.call->getBeginLoc().isMacroID() && (wrapped = whole_expansion(site.call)) == nullptr) return;
  if (const auto range = editor_.range(wrapped)) editor_.enclose(*range, "cppc_typed(" + type + ", ", ")");
}

void CallRewriter::run() {
  for (ir::Index c = 0; c < rewriting_.program.calls.size(); ++c) {
    const ir::Call& call = rewriting_.program.calls[c];
    if (call.handle == ir::none) continue;  // no call in the source, but code that is not followed
    const auto& site = rewriting_.source.calls[call.handle];
    if (site.unit != unit_) continue;
    const bool wanted = marked(site);
    if (wanted) require(call, site);
    if (call.callee != ir::none && !rewriting_.program.functions[call.callee].defined) {
      const models::Model* model = rewriting_.models.find(call.name);
      if (model == nullptr) continue;
      if (allocator(call.name) != nullptr || !model->replaced.empty()) replace(call, site, *model);
      if (model->required && !wanted) require(call, site);
      if (!model->stream) continue;
      if (const auto range = editor_.range(site.call))
        editor_.enclose(*range, "cppc_stream(", ", \"" + call.name + "\")");
    } else {
      give_type(call, site);
    }
  }
}

std::string CallRewriter::macros() const {
  std::string text;
  for (const std::string& name : in_macros_) {
    const Allocator* known = allocator(name);
    text += "#undef " + name + "\n#define " + name;
    if (known == nullptr) {
      text += " cppc_" + name + "\n";
      continue;
    }
    const std::string parameters = known->parameters;
    text += "(" + parameters + ") " + own_name(name) + "(" + (known->typed ? "&cppc_type_bytes, " : "") + parameters +
            ")\n";
  }
  return text;
}

}  // namespace cppc::rewrite
