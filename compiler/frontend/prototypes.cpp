#include "prototypes.hpp"

#include <vector>

namespace cppc::frontend {

namespace {

/// The parameters of a prototype, against which argument numbers of a table are held.
class Prototype {
 public:
  explicit Prototype(const clang::FunctionDecl& function) : function_(function) {}

  void pointer(int argument, const char* key) {
    need(argument, key, "a pointer", [](clang::QualType type) { return type->isAnyPointerType(); });
  }
  void data(int argument, const char* key) {
    need(argument, key, "a pointer to data",
         [](clang::QualType type) { return type->isAnyPointerType() && !type->getPointeeType()->isFunctionType(); });
  }
  void function(int argument, const char* key) {
    need(argument, key, "a pointer to a function", [](clang::QualType type) { return type->isFunctionPointerType(); });
  }
  void any(int argument, const char* key) {
    need(argument, key, "an argument", [](clang::QualType) { return true; });
  }
  /// All arguments from this one on, of which there may be none.
  void from(int argument, const char* key) {
    if (argument > static_cast<int>(function_.getNumParams())) complain(argument, key, "an argument");
  }
  void returns(const char* key) {
    if (!function_.getReturnType()->isAnyPointerType() && found_.empty())
      found_ = std::string(key) + ": the function returns no pointer";
  }
  [[nodiscard]] const std::string& found() const { return found_; }

 private:
  template <class Test>
  void need(int argument, const char* key, const char* what, Test test) {
    if (argument < 0) return;
    const auto index = static_cast<unsigned>(argument);
    if (index < function_.getNumParams() ? !test(function_.getParamDecl(index)->getType()) : !function_.isVariadic())
      complain(argument, key, what);
  }
  void complain(int argument, const char* key, const char* what) {
    if (found_.empty()) found_ = std::string(key) + ": argument " + std::to_string(argument) + " is not " + what;
  }

  const clang::FunctionDecl& function_;
  std::string found_;
};

}  // namespace

std::string contradiction(const models::Model& model, const clang::FunctionDecl& function) {
  if (!function.hasPrototype()) return "";
  Prototype prototype(function);
  const auto all = [](const std::vector<int>& arguments, auto check) {
    for (const int argument : arguments) check(argument);
  };
  all(model.reads, [&](int i) { prototype.data(i, "reads"); });
  all(model.writes, [&](int i) { prototype.data(i, "writes"); });
  all(model.sets, [&](int i) { prototype.data(i, "sets"); });
  all(model.held, [&](int i) { prototype.pointer(i, "held"); });
  if (!model.fills.empty()) prototype.data(model.fills.front(), "fills");
  all(model.fills, [&](int i) { prototype.any(i, "fills"); });
  prototype.from(model.reads_from, "reads_from");
  prototype.from(model.writes_from, "writes_from");
  for (const auto& [to, from] : model.copies) {
    prototype.data(to, "copies");
    prototype.data(from, "copies");
  }
  for (const auto& [to, from] : model.keeps) {
    prototype.data(to, "keeps");
    prototype.pointer(from, "keeps");
  }
  prototype.pointer(model.returns, "returns");
  if (model.returns >= 0) prototype.returns("returns");
  if (model.returns_outside) prototype.returns("returns_outside");
  prototype.function(model.callback, "callback");
  all(model.callback_arguments, [&](int i) { prototype.data(i, "callback_arguments"); });
  const models::Communication& communication = model.communication;
  for (const int i : {communication.peer, communication.tag, communication.communicator, communication.request})
    prototype.any(i, "communication");
  prototype.pointer(model.shows, "shows");
  return prototype.found();
}

}  // namespace cppc::frontend
