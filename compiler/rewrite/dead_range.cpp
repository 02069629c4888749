#include "dead_range.hpp"

#include <clang/AST/PrettyPrinter.h>

#include <algorithm>
#include <cctype>

#include "frontend/cxx.hpp"
#include "frontend/plain.hpp"
#include "names.hpp"
#include "scope.hpp"

namespace cppc::rewrite {

namespace {

/// What stands for variables; for null, for the pointer `this`.
using Names = std::map<const clang::VarDecl*, std::string>;

/// Prints expressions with some variables replaced, and notes what it cannot say.
class Printer final : public clang::PrinterHelper {
 public:
  Printer(clang::ASTContext& ast, const clang::FunctionDecl* from,
          const std::function<bool(const clang::VarDecl*)>& visible, const Names& names,
          const frontend::Locals* locals = nullptr, bool has_this = false)
      : ast_(ast), from_(from), visible_(visible), names_(names), locals_(locals), has_this_(has_this) {}

  bool handledStmt(clang::Stmt* s, llvm::raw_ostream& out) override {
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(s); member != nullptr) {
      const auto* field = llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
      if (field != nullptr) check_record(field->getParent());
      if (field != nullptr && field->getIdentifier() != nullptr)
        possible_ = possible_ && !hides(field->getNameAsString());
      possible_ = possible_ && may_access(member->getMemberDecl(), from_);
      if (llvm::isa<clang::CXXThisExpr>(member->getBase()->IgnoreParenImpCasts())) {
        out << this_pointer() << "->" << member->getMemberNameInfo().getAsString();
        return true;
      }
      if (member->isArrow()) follow(member->getBase());
    }
    if (llvm::isa<clang::CXXThisExpr>(s)) {
      out << this_pointer();
      return true;
    }
    if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(s); element != nullptr)
      if (const clang::RecordDecl* record = element->getType()->getAsRecordDecl(); record != nullptr)
        check_record(record);
    if (const auto* deref = llvm::dyn_cast<clang::UnaryOperator>(s);
        deref != nullptr && deref->getOpcode() == clang::UO_Deref)
      follow(deref->getSubExpr());
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(s); call != nullptr) {
      if (!llvm::isa<clang::CXXMemberCallExpr, clang::CXXOperatorCallExpr>(call)) return print_result(call, out);
      return print_member_call(call);
    }
    if (const auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(s); cast != nullptr) return print_cast(cast, out);
    if (llvm::isa<clang::UnaryExprOrTypeTraitExpr>(s)) return print_number(llvm::cast<clang::Expr>(s), out);
    const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(s);
    if (reference == nullptr) return false;
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
    if (variable == nullptr) return print_number(reference, out);  // an enumerator
    if (const auto given = names_.find(variable->getCanonicalDecl()); given != names_.end()) {
      out << given->second;
      return true;
    }
    if (locals_ != nullptr)
      if (const auto local = locals_->find(variable); local != locals_->end()) {
        out << as(variable->getType(), (*this)(local->second));
        return true;
      }
    const std::string own = name(variable);
    if (!ast_.getLangOpts().CPlusPlus) return false;
    out << own;
    return true;
  }

  /// A variable by its own name.
  std::string name(const clang::VarDecl* variable) {
    const bool ours = &variable->getASTContext() == &ast_;
    const clang::VarDecl* here = ours ? variable : variable->hasExternalFormalLinkage() ? declared(variable) : nullptr;
    possible_ = possible_ && here != nullptr && visible_(here);
    return name_of(variable);
  }

  std::string operator()(const clang::Expr* e) {
    std::string text;
    llvm::raw_string_ostream out(text);
    const clang::Expr* bare = e->IgnoreParenImpCasts();
    bare->printPretty(out, this, ast_.getPrintingPolicy());
    const bool word = std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    return word || closes_at(text) + 1 == text.size() ? text : "(" + text + ")";
  }

  [[nodiscard]] bool possible() const { return possible_; }

  /// Notes that a pointer has to lead somewhere.
  void follow(const clang::Expr* pointer) {
    if (pointer->IgnoreParenImpCasts()->getType()->isArrayType()) return;  // leads somewhere
    const std::string text = (*this)(pointer);
    const bool address = text.starts_with("&") || text.starts_with("(&");
    if (!address && std::ranges::find(followed_, text) == followed_.end()) followed_.push_back(text);
  }

  /// Whether a structure is defined where the code goes.
  bool knows(const clang::RecordDecl* record) {
    check_record(record);
    return possible_ && record->getDefinition() != nullptr;
  }

  /// Whether the name would be another thing where the code goes.
  [[nodiscard]] bool hides(const std::string& name) const { return is_macro(ast_, name); }

  /// Pointers that have to lead somewhere, each behind those that it is read through.
  [[nodiscard]] const std::vector<std::string>& followed() const { return followed_; }

  /// A number as the type that it is converted to.
  static std::string as(clang::QualType type, const std::string& text) {
    if (!type->isArithmeticType()) return text;
    clang::PrintingPolicy policy{clang::LangOptions()};
    policy.Bool = true;
    if (const auto* made = type->getAs<clang::EnumType>())
      type = made->getDecl()->getIntegerType();  // it may have no name
    return "((" + type.getCanonicalType().getUnqualifiedType().getAsString(policy) + ")" + text + ")";
  }

 private:
  /// What leads to the object of the function that the expression is from.
  std::string this_pointer() {
    const auto given = names_.find(nullptr);
    if (given == names_.end()) {
      possible_ = possible_ && has_this_;
      return "this";
    }
    if (!given->second.starts_with("(&") && std::ranges::find(followed_, given->second) == followed_.end())
      followed_.push_back(given->second);
    return given->second;
  }

  /// Of a container's, or of one that is one expression: it is called.
  bool print_member_call(const clang::CallExpr* call) {
    const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(call->getDirectCallee());
    const bool known = frontend::only_locates(call) || (method != nullptr && frontend::plain_result(call) != nullptr);
    possible_ = possible_ && known && (method == nullptr || may_access(method, from_));
    if (method != nullptr && !frontend::is_of_system(method)) check_record(method->getParent());
    return false;
  }

  /// Where the parenthesis that the text begins with is closed.
  static std::size_t closes_at(const std::string& text) {
    int open = 0;
    for (std::size_t i = 0; i < text.size() && text.front() == '('; ++i)
      if ((open += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0) == 0) return i;
    return text.size();
  }

  /// Types may have other names elsewhere, or none.
  bool print_cast(const clang::ExplicitCastExpr* cast, llvm::raw_ostream& out) {
    const clang::QualType type = cast->getType().getCanonicalType();
    const bool known = type->isArithmeticType() || (type->isPointerType() && type->getPointeeType()->isBuiltinType());
    if (known) out << "((" << type.getAsString() << ")" << (*this)(cast->getSubExpr()) << ")";
    possible_ = possible_ && known;
    return true;
  }

  bool print_number(const clang::Expr* e, llvm::raw_ostream& out) {
    clang::Expr::EvalResult value;
    possible_ = possible_ && e->EvaluateAsInt(value, ast_);
    if (possible_) out << as(e->getType(), llvm::toString(value.Val.getInt(), 10));
    return true;
  }

  /// A call of a function that is one expression, as that expression.
  bool print_result(const clang::CallExpr* call, llvm::raw_ostream& out) {
    const clang::Expr* result = frontend::plain_result(call);
    const clang::FunctionDecl* callee = nullptr;
    if (result == nullptr || !call->getDirectCallee()->hasBody(callee)) return possible_ = false;
    Names given;
    for (unsigned i = 0; i < call->getNumArgs(); ++i) {
      const clang::ParmVarDecl* parameter = callee->getParamDecl(i);
      given[parameter->getCanonicalDecl()] = as(parameter->getType(), (*this)(call->getArg(i)));
    }
    Printer inner(ast_, from_, visible_, given);
    out << as(call->getType(), inner(result));
    possible_ = possible_ && inner.possible();
    for (const std::string& pointer : inner.followed_)
      if (std::ranges::find(followed_, pointer) == followed_.end()) followed_.push_back(pointer);
    return true;
  }

  /// Another unit's variable as this one declares it.
  [[nodiscard]] const clang::VarDecl* declared(const clang::VarDecl* variable) const {
    for (const clang::NamedDecl* d : ast_.getTranslationUnitDecl()->lookup(&ast_.Idents.get(variable->getName())))
      if (const auto* here = llvm::dyn_cast<clang::VarDecl>(d); here != nullptr && here->hasExternalFormalLinkage())
        return here;
    return nullptr;
  }

  /// Members can only be named, and elements be counted, where their structure is defined.
  void check_record(const clang::RecordDecl* record) {
    if (&record->getASTContext() == &ast_) return;
    const auto found = ast_.getTranslationUnitDecl()->lookup(
        &ast_.Idents.get(record->getIdentifier() != nullptr ? record->getName() : llvm::StringRef("(none)")));
    possible_ = possible_ && std::ranges::any_of(found, [](const clang::NamedDecl* d) {
                  const auto* other = llvm::dyn_cast<clang::RecordDecl>(d);
                  return other != nullptr && other->getDefinition() != nullptr;
                });
  }

  clang::ASTContext& ast_;
  const clang::FunctionDecl* from_;
  const std::function<bool(const clang::VarDecl*)>& visible_;
  const Names& names_;
  const frontend::Locals* locals_;
  const bool has_this_;
  bool possible_ = true;
  std::vector<std::string> followed_;
};

/// The parts of the code.
struct Extent {
  std::string declarations, loops, condition, address, bytes;
};

/// Of a call.
Extent extent_of_call(const frontend::OverwriteSite& site, Printer& print) {
  if (site.vector != nullptr) {
    const bool arrow = site.vector->getType()->isPointerType();
    if (arrow) print.follow(site.vector);
    const std::string vector = print(site.vector) + (arrow ? "->" : ".");
    return {.condition = vector + "capacity() > 0",
            .address = vector + "data()",
            .bytes = vector + "capacity() * sizeof(*" + vector + "data())"};
  }
  const std::string to = print(site.pointer);
  const std::string element = "&*" + to, size = " * sizeof(*" + to + ")";
  if (site.count == nullptr) {
    const std::string count = print(site.last) + " - " + print(site.first);
    return {.condition = count + " > 0", .address = element, .bytes = "(size_t)(" + count + ")" + size};
  }
  const std::string count = "(long)" + print(site.count), bytes = "(size_t)" + count;
  if (site.size == 0) return {.condition = count + " > 0", .address = element, .bytes = bytes + size};
  return {.condition = count + " > 0",
          .address = to,
          .bytes = bytes + (site.size > 1 ? " * " + std::to_string(site.size) : "")};
}

Extent extent_of(const frontend::OverwriteSite& site, Printer& print, Names& names) {
  if (site.element == nullptr) return extent_of_call(site, print);
  Extent range;
  for (std::size_t l = 0; l + 1 < site.levels.size(); ++l) {
    const frontend::Level& level = site.levels[l];
    const std::string counter = "cppc_" + std::to_string(l);
    if (level.container != nullptr) {
      range.loops += "for (auto& " + counter + " : " + print(level.container) + ") ";
      names[level.variable->getCanonicalDecl()] = counter;
      continue;
    }
    range.declarations += "long " + counter + "; ";
    range.loops += "for (" + counter + " = " + print(level.low) + "; " + counter +
                   (level.inclusive ? " <= (long)" : " < (long)") + print(level.high) + "; ++" + counter + ") ";
    names[level.variable->getCanonicalDecl()] = Printer::as(level.variable->getType(), counter);
  }
  const frontend::Level& last = site.levels.back();
  if (last.container != nullptr) {
    const std::string container = print(last.container);
    if (last.container->getType()->isArrayType())
      return {range.declarations, range.loops, "1", "&" + container + "[0]", "sizeof " + container};
    const std::string size = container + ".size()";
    return {range.declarations, range.loops, size + " > 0", container + ".data()",
            size + " * sizeof(*" + container + ".data())"};
  }
  const std::string low = print(last.low), high = print(last.high);
  names[last.variable->getCanonicalDecl()] = low;
  const std::string element = print(site.element);
  range.condition = "(long)" + high + (last.inclusive ? " >= " : " > ") + "(long)" + low;
  range.address = "&" + element;
  range.bytes = "(size_t)((long)" + high + " - (long)" + low + (last.inclusive ? " + 1" : "") + ") * sizeof" +
                (element.front() == '(' ? "" : " ") + element;
  return range;
}

}  // namespace

namespace {

/// What makes the pointer of a variable that is one, or that owns what one leads to.
std::string as_pointer(clang::QualType type) {
  const auto* record = type->getAsCXXRecordDecl();
  if (record == nullptr || frontend::kind_of(type) != frontend::Kind::owner) return {};
  return record->getName() == "unique_ptr" ? ".get()" : ".data()";
}

/// The way to a pointer that a structure has only once, perhaps in structures within it; none when there is none.
std::string way_within(const clang::RecordDecl* record, const std::string& member, const Printer& print) {
  for (const clang::FieldDecl* field : record->fields()) {
    const std::string name = field->getNameAsString();
    if (!name.empty() && print.hides(name)) continue;
    const frontend::Kind kind = frontend::kind_of(field->getType());
    if (name == member && kind == frontend::Kind::pointer) return name;
    if (name == member && kind == frontend::Kind::owner) return name + as_pointer(field->getType());
    const auto* part = field->getType()->getAsRecordDecl();
    const std::string rest = part != nullptr && !name.empty() ? way_within(part, member, print) : "";
    if (!rest.empty()) return name + "." + rest;
  }
  return {};
}

/// A pointer into the variable, or its own, or that of a member; none when that cannot be said.
std::string leads_into(const ir::Program& program, const frontend::Source& source, ir::Part within, Printer& print) {
  if (program.objects[within.object].handle == ir::none) return {};
  const auto* declaration = source.variables[program.objects[within.object].handle].declaration;
  const clang::QualType type = declaration->getType();
  const std::string name = print.name(declaration);
  if (within.member == ir::none && !as_pointer(type).empty()) return name + as_pointer(type);
  if (within.member == ir::none) return (type->isPointerType() ? "" : "&") + name;
  if (type->isReferenceType()) return {};
  const auto* record = (type->isPointerType() ? type->getPointeeType() : type)->getAsRecordDecl();
  if (record == nullptr || !print.knows(record)) return {};
  const std::string way = way_within(record->getDefinition(), program.members[within.member].name, print);
  return way.empty() ? way : name + (type->isPointerType() ? "->" : ".") + way;
}

}  // namespace

DeadRange dead_range(const ir::Program& program, const frontend::Source& source, clang::ASTContext& ast,
                     const analysis::Ahead& ahead, const clang::FunctionDecl* from, const OfVariable& visible,
                     const OfVariable& behind) {
  const OfVariable only_static = [&](const clang::VarDecl* variable) {
    return variable->hasGlobalStorage() && visible(variable);
  };
  Names names;
  bool outermost = true;
  for (const ir::Index index : ahead.calls) {
    const ir::Call& call = program.calls[index];
    const auto* site = source.calls[call.handle].call;
    if (site == nullptr || program.functions[call.callee].handle == ir::none) return {};
    const auto* callee = source.functions[program.functions[call.callee].handle].declaration;
    const std::vector<const clang::Expr*> operands = frontend::operands_of(site);
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(callee);
    const unsigned first = method != nullptr && method->isInstance() ? 1 : 0;
    Names inner;
    for (unsigned i = 0; i < callee->getNumParams() + first && i < operands.size(); ++i) {
      Printer print(ast, from, outermost ? visible : only_static, names, nullptr, outermost);
      std::string text = print(operands[i]);
      const bool object = i < first;
      const bool refers = !object && callee->getParamDecl(i - first)->getType()->isReferenceType();
      if (object && operands[i]->isGLValue()) text = "(&" + text + ")";
      if (!object && !refers && operands[i]->IgnoreParenImpCasts()->getType()->isArrayType())
        text = "(&" + text + "[0])";
      if (!object && !refers) text = Printer::as(callee->getParamDecl(i - first)->getType(), text);
      if (print.possible() && call.plain[i])
        inner[object ? nullptr : callee->getParamDecl(i - first)->getCanonicalDecl()] = text;
    }
    names = std::move(inner);
    outermost = false;
  }
  const auto& overwrite = source.overwrites[program.overwrites[ahead.overwrite].handle];
  if (!std::ranges::all_of(overwrite.behind, behind)) return {};
  Printer print(ast, from, outermost ? visible : only_static, names, outermost ? &overwrite.nest : &overwrite.function,
                outermost);
  Extent range = extent_of(overwrite, print, names);
  if (!print.possible()) return {};
  std::string guard;
  for (const std::string& pointer : print.followed()) {
    const bool in_loop = pointer.find("cppc_") != std::string::npos;
    if (in_loop) range.condition += " && " + pointer + " != 0";
    if (!in_loop) guard += (guard.empty() ? "if (" : " && ") + pointer + " != 0";
  }
  if (!guard.empty()) guard += ") ";
  const Names no_names;
  Printer here(ast, from, visible, no_names, nullptr, true);
  std::string apart;
  for (const unsigned variable : ahead.apart) {
    if (program.objects[variable].handle == ir::none) return {};
    const auto* declaration = source.variables[program.objects[variable].handle].declaration;
    const bool leads = declaration->getType()->isPointerType() || !as_pointer(declaration->getType()).empty();
    if (!leads) return {};
    apart += (apart.empty() ? "(const void*)" : ", (const void*)") + here.name(declaration) +
             as_pointer(declaration->getType());
  }
  const bool only_within = ahead.within.object != ir::nothing;
  const std::string within = only_within ? leads_into(program, source, ahead.within, here) : "";
  if (!here.possible() || (only_within && within.empty())) return {};
  std::string call = "cppc_dead_range" + std::string(within.empty() ? apart.empty() ? "" : "_apart" : "_within") + "(" +
                     range.address + ", " + range.bytes;
  if (!within.empty()) call += ", (const void*)" + within;
  if (!apart.empty()) range.declarations += "const void* const cppc_apart[] = {" + apart + "}; ";
  if (!apart.empty()) call += ", cppc_apart, " + std::to_string(ahead.apart.count());
  if (apart.empty() && !within.empty()) call += ", 0, 0";
  call += "); ";
  const std::string code = guard + range.loops + "if (" + range.condition + ") " + call;
  return {range.declarations.empty() ? code : "{ " + range.declarations + code + "} ", range.address, range.bytes};
}

}  // namespace cppc::rewrite
