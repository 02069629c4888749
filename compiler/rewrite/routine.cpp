#include "routine.hpp"

namespace cppc::rewrite {

void RoutineRewriter::collect_place(int number) {
  const frontend::MarkerSite& site = function_.site(number);
  const bool inside = function_.place(number).point != ir::none || site.part == frontend::Part::condition;
  ways_.add(number, inside);
  for (const unsigned object : function_.place(number).locals) {
    const ir::Object& o = context_.program.objects[object];
    if (o.handle == ir::none) {
      context_.refuse(site.statement,
                      "a nameless object (a compound literal) of " + function_.name + "() is live at a safe point",
                      "give it a name");
      continue;
    }
    const clang::VarDecl* variable = context_.source.variables[o.handle].declaration;
    if (function_.visible(variable, site.statement, inside)) shadow_.add(number, variable);
  }
}

void RoutineRewriter::write_shadow(Offset begin) {
  context_.editor.open(begin, "\nstruct cppc_live_" + function_.name + " {\n" + shadow_.members() +
                                  "};\nstatic const cppc_routine cppc_routine_" + function_.name + ";\n#line " +
                                  std::to_string(context_.editor.line(begin)) + "\n");
}

void RoutineRewriter::write_entry(Offset body) {
  const clang::FunctionDecl* function = function_.declaration;
  std::string code = " struct cppc_live_" + function_.name +
                     " cppc_live; cppc_frame cppc_frame_ __attribute__((cleanup(cppc_leave))); ";
  if (function_.routine.function == context_.program.entry()) {
    const bool arguments = function->getNumParams() >= 2;
    code += "cppc_declare(&cppc_program_records); ";
    code += arguments ? "cppc_start(&" + function->getParamDecl(0)->getNameAsString() + ", (char***)&" +
                            function->getParamDecl(1)->getNameAsString() + "); "
                      : "cppc_start(NULL, NULL); ";
  }
  code += "if (cppc_enter(&cppc_frame_, &cppc_routine_" + function_.name + ", &cppc_live) != 0) ";
  context_.editor.open(body, code + "{ " + ways_.first() + "}");
}

void RoutineRewriter::run() {
  const clang::FunctionDecl* function = function_.declaration;
  const auto begin = context_.editor.begin(function->getSourceRange().getBegin());
  const auto body = context_.editor.end(llvm::cast<clang::CompoundStmt>(function->getBody())->getLBracLoc());
  if (!begin || !body)
    return context_.refuse(function->getBody(),
                           function_.name + "() leads to a safe point and is not in the file that is translated",
                           "move it out of the header");
  for (int number = 1; number <= function_.places(); ++number) collect_place(number);
  write_shadow(*begin);
  write_entry(*body);
  ways_.run();
  calls_.run();
  tables_ = shadow_.tables();
}

}  // namespace cppc::rewrite
