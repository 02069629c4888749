/// Calls of the C library whose effects belong to the state: memory, which gets its type, and streams.
#pragma once

#include "editor.hpp"
#include "types.hpp"
#include "unit.hpp"

namespace cppc::rewrite {

class CallRewriter {
 public:
  CallRewriter(const Rewriting& rewriting, ir::Index unit, Editor& editor, Types& types,
               std::vector<analysis::Refusal>& refusals)
      : rewriting_(rewriting), unit_(unit), editor_(editor), types_(types), refusals_(refusals) {}

  void run();

  /// Definitions for the calls that are written in macros, which can only be replaced there by name.
  [[nodiscard]] std::string macros() const;

  /// Tables for the end of the file.
  [[nodiscard]] const std::string& tables() const { return tables_; }

 private:
  void replace(const ir::Call& call, const frontend::CallSite& site, const models::Model& model);
  bool marked(const frontend::CallSite& site);
  void require(const ir::Call& call, const frontend::CallSite& site);
  void give_type(const ir::Call& call, const frontend::CallSite& site);
  [[nodiscard]] std::string element(const ir::Call& call, const frontend::CallSite& site);
  [[nodiscard]] const clang::Expr* whole_expansion(const clang::Expr* call) const;

  const Rewriting& rewriting_;
  ir::Index unit_;
  Editor& editor_;
  Types& types_;
  std::vector<analysis::Refusal>& refusals_;
  std::set<std::string> in_macros_;
  std::string tables_;
  unsigned required_ = 0;
};

}  // namespace cppc::rewrite
