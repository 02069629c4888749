/// The table of C++'s library names what its headers declare. A model is for all overloads of a name, and many of them
/// are templates: so one of them has to have the arguments that it numbers, each of a type that may lead to memory.
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Tooling/Tooling.h>
#include <gtest/gtest.h>
#include <toml++/toml.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "frontend/cxx.hpp"
#include "models/models.hpp"

namespace cppc::frontend {
namespace {

constexpr const char* kHeaders[] = {"algorithm", "chrono", "cmath",       "complex", "fstream", "iomanip",
                                    "iostream",  "limits", "memory",      "new",     "numeric", "random",
                                    "sstream",   "string", "string_view", "thread",  "vector"};

using Overloads = std::vector<const clang::FunctionDecl*>;

class Functions : public clang::RecursiveASTVisitor<Functions> {
 public:
  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    declared_[library_name(function)].push_back(function);
    return true;
  }
  /// Of "a::b::*" all that the class or namespace a::b has.
  [[nodiscard]] Overloads named(const std::string& name) const {
    Overloads found;
    const bool all = name.ends_with("::*");
    const std::string prefix = name.substr(0, name.size() - 1);
    for (const auto& [declared, overloads] : declared_)
      if (all ? declared.starts_with(prefix) : declared == name)
        found.insert(found.end(), overloads.begin(), overloads.end());
    return found;
  }

 private:
  std::map<std::string, Overloads> declared_;
};

std::unique_ptr<clang::ASTUnit> parse(const std::string& code) {
  return clang::tooling::buildASTFromCodeWithArgs(code, {"-resource-dir", CLANG_RESOURCES, "-std=c++20", "-w"},
                                                  "headers.cpp");
}

/// The object of a member function is its argument 0.
class Arguments {
 public:
  explicit Arguments(const clang::FunctionDecl& function) : function_(function) {
    const auto* const method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
    object_ = method != nullptr && method->isInstance() ? 1 : 0;
  }
  [[nodiscard]] bool has(int argument) const {
    return argument < static_cast<int>(function_.getNumParams()) + object_ || function_.isVariadic();
  }
  [[nodiscard]] bool may_lead_to_memory(int argument) const {
    if (!has(argument)) return false;
    if (argument < object_ || argument - object_ >= static_cast<int>(function_.getNumParams())) return true;
    const clang::QualType type = function_.getParamDecl(static_cast<unsigned>(argument - object_))->getType();
    return type->isPointerType() || type->isReferenceType() || type->isDependentType() || type->isRecordType();
  }

 private:
  const clang::FunctionDecl& function_;
  int object_;
};

bool fits(const models::Model& model, const clang::FunctionDecl& function) {
  const Arguments arguments(function);
  std::vector<int> memory = model.reads;
  memory.insert(memory.end(), model.writes.begin(), model.writes.end());
  memory.insert(memory.end(), model.sets.begin(), model.sets.end());
  std::vector<int> any = model.fills;
  for (const auto& [to, from] : model.copies) memory.insert(memory.end(), {to, from});
  for (const auto& [to, from] : model.keeps) any.insert(any.end(), {to, from});
  for (const int first : {model.reads_from, model.writes_from}) any.push_back(first - 1);  // there may be none
  any.push_back(model.returns);
  if (model.container == models::Container::swaps || model.container == models::Container::takes) any.push_back(1);
  return std::ranges::all_of(memory, [&](int i) { return arguments.may_lead_to_memory(i); }) &&
         std::ranges::all_of(any, [&](int i) { return i < 0 || arguments.has(i); });
}

bool fits_one(const models::Model& model, const Overloads& overloads) {
  return std::ranges::any_of(overloads, [&](const auto* function) { return fits(model, *function); });
}

TEST(CxxModels, FitADeclarationOfTheHeaders) {
  std::string code;
  for (const char* header : kHeaders) code += std::string("#include <") + header + ">\n";
  const auto ast = parse(code);
  ASSERT_NE(ast, nullptr);
  ASSERT_FALSE(ast->getDiagnostics().hasErrorOccurred());
  Functions functions;
  functions.TraverseDecl(ast->getASTContext().getTranslationUnitDecl());
  models::Models models;
  const std::string file = std::string(MODELS) + "/cxx.toml";
  ASSERT_TRUE(models.read(file));
  for (const auto& [key, value] : toml::parse_file(file)) {
    const std::string name(key.str());
    const Overloads declared = functions.named(name);
    EXPECT_FALSE(declared.empty()) << name << " is declared nowhere";
    EXPECT_TRUE(declared.empty() || fits_one(*models.find(name), declared)) << name << " has no such arguments";
  }
}

TEST(CxxModels, MismatchWithTheHeadersIsReported) {
  const auto ast = parse(
      "namespace some { inline namespace v2 { template <class T> struct box { void put(T&&, int); }; } "
      "template <class I> void walk(I from, int); void numbers(int, int); }");
  ASSERT_NE(ast, nullptr);
  Functions functions;
  functions.TraverseDecl(ast->getASTContext().getTranslationUnitDecl());
  const auto fit = [&](const char* name, const models::Model& model) { return fits_one(model, functions.named(name)); };
  EXPECT_TRUE(fit("some::box::put", {.reads = {0, 1}}));
  EXPECT_TRUE(fit("some::box::*", {.writes_from = 3}));
  EXPECT_FALSE(fit("some::box::put", {.reads = {2}})) << "a number";
  EXPECT_FALSE(fit("some::box::put", {.reads = {3}})) << "there is none";
  EXPECT_FALSE(fit("some::box::put", {.writes_from = 4}));
  EXPECT_TRUE(fit("some::walk", {.reads = {0}, .fills = {0, 1}}));
  EXPECT_FALSE(fit("some::numbers", {.writes = {0}}));
  EXPECT_FALSE(fit("some::numbers", {.returns = 2}));
  EXPECT_FALSE(fit("some::nothing", {}));
}

}  // namespace
}  // namespace cppc::frontend
