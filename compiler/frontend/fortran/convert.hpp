/// From flang's symbols and expressions to those of tree.hpp. Only for the files that see flang.
#pragma once

#include <flang/Evaluate/expression.h>
#include <flang/Semantics/scope.h>
#include <flang/Semantics/symbol.h>

#include <map>

#include "tree.hpp"

namespace cppc::fortran {

class Symbols {
 public:
  explicit Symbols(Program& program) : program_(program) {}

  /// Reads the COMMON blocks of all program units, so that their members can be told apart or not.
  void find_commons(const Fortran::semantics::Scope& scope);

  /// What is called without being named: procedures of types and such, into Program::bound and unclear.
  void find_bound(const Fortran::semantics::Scope& scope);

  Index variable(const Fortran::semantics::Symbol& symbol);

  /// A number, or an array with a descriptor of its own, in a variable of derived type; none when it is no symbol.
  Index component(const Fortran::evaluate::Component& component);

  /// Who has the pointers that are mentioned may have made other names of them.
  void share(const Expr& e);

  /// The symbol with the bounds that a member of a COMMON block has here; none when the variable has them.
  [[nodiscard]] Index view(const Fortran::semantics::Symbol& symbol) const;

  /// Defined or not; none for what is only known at run time.
  Index procedure(const Fortran::semantics::Symbol& symbol);

  ExprPtr convert(const Fortran::evaluate::Expr<Fortran::evaluate::SomeType>& e);
  ExprPtr convert(const Fortran::evaluate::ProcedureRef& call);
  /// `whole`: not one of its components.
  ExprPtr reference(const Fortran::semantics::Symbol& symbol, bool whole = true);

  Program& program() { return program_; }

 private:
  void add_finals(const Fortran::semantics::Symbol& symbol, const Fortran::semantics::DerivedTypeDetails& type);

  struct Block {
    std::string layout;  ///< as the first unit has it
    bool agreed = true;
    bool overlaid = false;  ///< by other variables
  };

  void classify(const Fortran::semantics::Symbol& symbol, Symbol& made);
  void find_bounds(const Fortran::semantics::Symbol& symbol, Index index);
  void add_shape(Index index);
  ExprPtr selector(const Fortran::evaluate::Expr<Fortran::evaluate::SomeType>& e);

  Program& program_;
  std::map<const Fortran::semantics::Symbol*, Index> variables_;
  std::map<std::pair<Index, const Fortran::semantics::Symbol*>, Index> components_;
  struct Member {
    Index symbol;
    std::map<std::string, Index> views;  ///< by shape
  };

  std::map<std::pair<std::string, std::uint64_t>, Member> members_;  ///< by block and offset
  std::map<const Fortran::semantics::Symbol*, Index> views_;
  std::map<std::string, Block> blocks_;
  std::map<std::string, Index> procedures_;  ///< by linker name
  std::map<const Fortran::semantics::Symbol*, Index> internals_;
};

}  // namespace cppc::fortran
