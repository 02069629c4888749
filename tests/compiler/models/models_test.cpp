/// The tables of functions say of each what can be, as the system's headers declare it.
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Tooling/Tooling.h>
#include <gtest/gtest.h>
#include <toml++/toml.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "frontend/prototypes.hpp"

namespace cppc::frontend {
namespace {

constexpr const char* kHeaders[] = {
    "assert.h",   "complex.h", "ctype.h",    "errno.h",        "fcntl.h",   "fenv.h",     "getopt.h",   "locale.h",
    "malloc.h",   "math.h",    "mpi.h",      "pthread.h",      "sched.h",   "signal.h",   "stdio.h",    "stdlib.h",
    "string.h",   "strings.h", "sys/mman.h", "sys/resource.h", "sys/shm.h", "sys/stat.h", "sys/time.h", "sys/times.h",
    "sys/wait.h", "time.h",    "unistd.h",   "wchar.h",        "alloca.h",  "dlfcn.h",    "libgen.h"};

/// Functions of the compiler, of OpenMP and of libf2c, some that other C libraries have, and those that MPI 3 has
/// dropped.
const std::regex kDeclaredElsewhere(
    "__builtin_.*|omp_.*|[a-z]{1,3}_[a-z0-9]{2,4}|cfree|__assert_rtn|__isoc99_.*scanf|MPI_Address|"
    "MPI_Errhandler_(create|get|set)|MPI_Type_(extent|hindexed|hvector|lb|ub|struct)");

class Functions : public clang::RecursiveASTVisitor<Functions> {
 public:
  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    declared_.emplace(function->getNameAsString(), function);
    return true;
  }
  [[nodiscard]] const std::map<std::string, const clang::FunctionDecl*>& declared() const { return declared_; }

 private:
  std::map<std::string, const clang::FunctionDecl*> declared_;
};

std::unique_ptr<clang::ASTUnit> headers() {
  std::string code = "#define _GNU_SOURCE\n";
  for (const char* header : kHeaders) code += std::string("#include <") + header + ">\n";
  std::vector<std::string> arguments{"-resource-dir", CLANG_RESOURCES, "-w"};
  std::istringstream directories(MPI_DIRECTORIES);
  for (std::string directory; std::getline(directories, directory, ':');) arguments.push_back("-I" + directory);
  return clang::tooling::buildASTFromCodeWithArgs(code, arguments, "headers.c");
}

TEST(Models, FitThePrototypes) {
  const auto ast = headers();
  ASSERT_NE(ast, nullptr);
  ASSERT_FALSE(ast->getDiagnostics().hasErrorOccurred());
  Functions functions;
  functions.TraverseDecl(ast->getASTContext().getTranslationUnitDecl());
  models::Models models;
  for (const char* table : {"c", "mpi"}) {
    const std::string file = std::string(MODELS) + "/" + table + ".toml";
    ASSERT_TRUE(models.read(file)) << file;
    for (const auto& [key, value] : toml::parse_file(file)) {
      const std::string name(key.str());
      const auto declared = functions.declared().find(name);
      if (declared == functions.declared().end()) {
        EXPECT_TRUE(std::regex_match(name, kDeclaredElsewhere)) << name << " is declared nowhere";
        continue;
      }
      EXPECT_EQ(contradiction(*models.find(name), *declared->second), "") << name;
    }
  }
}

TEST(Models, MismatchWithThePrototypeIsReported) {
  const auto ast = clang::tooling::buildASTFromCodeWithArgs(
      "void numbers(int a, int b); void words(const char* a, int b, ...); int* made(void (*f)(void), int* a);",
      {"-resource-dir", CLANG_RESOURCES}, "some.c");
  ASSERT_NE(ast, nullptr);
  Functions functions;
  functions.TraverseDecl(ast->getASTContext().getTranslationUnitDecl());
  const auto found = [&](const char* name, const models::Model& model) {
    return contradiction(model, *functions.declared().at(name));
  };
  EXPECT_EQ(found("numbers", {}), "");
  EXPECT_EQ(found("numbers", {.reads = {1}}), "reads: argument 1 is not a pointer to data");
  EXPECT_EQ(found("words", {.reads = {0}, .writes = {7}}), "");
  EXPECT_EQ(found("words", {.writes = {1}}), "writes: argument 1 is not a pointer to data");
  EXPECT_EQ(found("words", {.returns = 0}), "returns: the function returns no pointer");
  EXPECT_EQ(found("made", {.returns = 1, .callback = 0}), "");
  EXPECT_EQ(found("made", {.reads = {0}}), "reads: argument 0 is not a pointer to data");
  EXPECT_EQ(found("made", {.reads = {2}}), "reads: argument 2 is not a pointer to data");
  EXPECT_EQ(found("made", {.callback = 1}), "callback: argument 1 is not a pointer to a function");
}

}  // namespace
}  // namespace cppc::frontend
