/// The walk over one function of the AST that makes its graph.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/StmtOpenMP.h>

#include <map>
#include <optional>
#include <set>

#include "exceptions.hpp"
#include "members.hpp"
#include "source.hpp"

namespace cppc::frontend {

/// What all functions of a program share while it is lowered.
class Symbols {
 public:
  Symbols(Source& source, ir::Program& program, const models::Models& models)
      : source_(source), program_(program), models_(models), distinct_members_(source) {}

  ir::Node variable(const clang::VarDecl* declaration);
  ir::Index function(const clang::FunctionDecl* declaration);
  ir::Node function_object(const clang::FunctionDecl* declaration);
  ir::Node compound(const clang::Expr* literal, ir::Index function);
  ir::Index member(const clang::ValueDecl* field);

  /// Other code may have the object's address from the start (Program::by_address).
  void escape(ir::Node object);

  // C++ (lower_classes.cpp).
  /// The parameter that is a pointer to the object of a member function.
  ir::Node object_parameter(const clang::CXXMethodDecl* method);
  /// Leads to all functions that a virtual call of this one may reach.
  ir::Node overriders(const clang::CXXMethodDecl* method);
  void see_virtual(const clang::CXXMethodDecl* method);
  void bind_virtual(bool has_other_parts);
  /// A function of the library that the compiler calls.
  ir::Index helper(const std::string& name);
  /// A function for what is done before main().
  ir::Index start_up(const clang::VarDecl* variable);

  std::map<ir::Index, unsigned> hashes;  ///< of functions' definitions in C++
  Exceptions exceptions;
  bool throws_objects = false;      ///< that run code of the program when they are copied or destroyed
  bool catches = false;             ///< somewhere in the program; else what is thrown ends it
  bool library_calls_back = false;  ///< a class of the program overrides functions of the library's

  Source& source() { return source_; }
  ir::Program& program() { return program_; }
  [[nodiscard]] const models::Models& models() const { return models_; }
  /// Whatever functions were given after their named arguments.
  ir::Node variable_arguments() { return variable_arguments_; }
  ir::Index unit = 0;  ///< that is being lowered

 private:
  void count_members(const clang::RecordDecl* record, int times, std::map<ir::Index, int>& counts,
                     std::set<ir::Index>& pointers);
  void find_pointers(ir::Node variable, clang::QualType type);

  Source& source_;
  ir::Program& program_;
  const models::Models& models_;
  Members distinct_members_;
  const ir::Node variable_arguments_ = program_.add({});
  std::map<std::pair<std::string, std::string>, ir::Index> members_;  ///< by family and name
  std::map<std::string, ir::Node> externals_;
  std::map<std::string, ir::Index> functions_by_name_;
  std::map<const clang::FunctionDecl*, ir::Index> functions_;
  std::map<ir::Index, ir::Node> function_objects_;
  std::map<const clang::Expr*, ir::Node> literals_;
  std::map<ir::Index, ir::Node> object_parameters_;
  std::map<std::string, ir::Index> helpers_;
  std::map<std::string, ir::Node> virtual_;               ///< by the name of the function that is overridden
  std::map<std::string, std::set<ir::Node>> overriders_;  ///< likewise: function objects
  [[nodiscard]] std::string key(const clang::NamedDecl* declaration) const;
};

/// An object, or memory that a pointer leads to.
struct LValue {
  ir::Node object = ir::nothing;   ///< named directly
  ir::Node pointer = ir::nothing;  ///< otherwise
  bool whole = false;              ///< all of the object
  ir::Index member = ir::none;     ///< of the object or memory, or in it: of only this one
};

class Lowering {
 public:
  Lowering(Symbols& symbols, const clang::FunctionDecl* function, ir::Index index);
  void run();

  /// Of a static object, for its address-holding initialiser; outside functions.
  static void initialiser(Symbols& symbols, ir::Node object, const clang::Expr* value);
  /// Of a static object in C++ that gets its value when the program starts.
  static void start_up(Symbols& symbols, const clang::VarDecl* variable);

 private:
  struct Targets {
    ir::Index on_break, on_continue;
    std::size_t clean_ups;          ///< that stay on a break
    std::size_t clean_ups_of_pass;  ///< and on a continue
  };

  /// An object that is destroyed at the end of its scope, however that is left.
  struct CleanUp {
    LValue object;
    clang::QualType type;
    bool perhaps = false;          ///< it is not always there
    bool extended = false;         ///< a temporary one that a reference keeps
    bool unwinding = false;        ///< it is destroyed when an exception leaves the scope only
    ir::Index landing = ir::none;  ///< where exceptions are passed on from here
  };
  /// Handlers around what is lowered.
  struct Try {
    ir::Index handlers;
    std::size_t clean_ups;
  };

  /// Of a member function of a container.
  struct ContainerCall {
    const clang::CallExpr* expression;
    const clang::FunctionDecl* callee;
    const clang::Expr* object;  ///< or a pointer to it
    clang::QualType type;       ///< of the object
    llvm::ArrayRef<const clang::Expr*> arguments;
    std::string name;
    LValue container;
  };

  // What is not understood (lower_unknown.cpp).
  [[nodiscard]] bool by_address() { return symbols_.program().by_address; }
  void opaque(const std::string& why);
  void escape(ir::Node value);
  ir::Node from_outside();
  ir::Node not_understood(const clang::Expr* e);
  ir::Node unknown_effect(const clang::Stmt* s, const std::vector<const clang::Expr*>& operands);
  ir::Node atomic(const clang::AtomicExpr* e);
  void escape_named(llvm::StringRef text);
  void assembly(const clang::AsmStmt* s);
  void directive(const clang::OMPExecutableDirective* s);
  void captured_by_clause(const clang::Stmt* made);
  void clause(const clang::OMPClause* c);
  void clean_up(const clang::VarDecl* variable, ir::Node node);
  void take_variable_arguments(const clang::CallExpr* call);

  // C++: classes and references (lower_classes.cpp).
  [[nodiscard]] bool is_cxx() const { return context_->getLangOpts().CPlusPlus; }
  ir::Node this_pointer();
  void invoke_lambda(const clang::CXXMethodDecl* invoker);
  LValue name(const clang::DeclRefExpr* e);
  std::optional<LValue> captured(const clang::DeclRefExpr* e, const clang::VarDecl* variable);
  void construct(const LValue& to, const clang::CXXConstructExpr* e);
  void construct_members(const clang::CXXConstructorDecl* constructor);
  void add_members(const clang::CXXDestructorDecl* destructor);
  void destroy_members();
  ir::Node allocate(const clang::CXXNewExpr* e);
  void deallocate(const clang::CXXDeleteExpr* e);

  // C++: expressions (lower_cxx_expressions.cpp).
  std::optional<ir::Node> cxx_value(const clang::Expr* e);
  std::optional<LValue> cxx_place(const clang::Expr* e);
  std::optional<LValue> cxx_member(const clang::MemberExpr* member);
  std::optional<LValue> converted_place(const clang::CastExpr* cast);
  LValue temporary_object(const clang::MaterializeTemporaryExpr* e);
  std::optional<LValue> place_of_operator(const clang::Expr* e);
  std::optional<LValue> place_of_binary(const clang::BinaryOperator* e);
  LValue chosen_place(const clang::AbstractConditionalOperator* e);
  bool cxx_initialise(const LValue& to, const clang::Expr* value);
  void initialise_captures(const LValue& to, const clang::LambdaExpr* lambda);
  void initialise_members(const LValue& to, const clang::CXXParenListInitExpr* list);

  // C++: calls (lower_cxx_calls.cpp).
  ir::Node argument(const clang::Expr* e);
  ir::Node made_call(const clang::Expr* e, ir::Index callee, std::vector<ir::Node> arguments,
                     ir::Node pointer = ir::nothing, bool throws = true);
  ir::Node unknown_call(const clang::Expr* e, std::vector<ir::Node> arguments);
  std::optional<ir::Node> known_call(const clang::CallExpr* e, const clang::FunctionDecl* callee);
  ir::Node see_library_call(ir::Call& made, const clang::CallExpr* e);

  // C++: containers (lower_containers.cpp).
  std::optional<ir::Node> container_call(const clang::CallExpr* e, const clang::FunctionDecl* callee);
  ir::Node call_of_iterator(const ContainerCall& c);
  ir::Node call_of_array(const ContainerCall& c);
  ir::Node call_of_owner(const ContainerCall& c);
  ir::Node block_made_by(const ContainerCall& c, ir::Node old, bool keeps_elements);
  bool construct_container(const LValue& to, const clang::CXXConstructExpr* e);
  bool assign_container(const LValue& to, const clang::Expr* from, const clang::Expr* vector);
  void replaced(const clang::Expr* vector);
  ir::Node copy_of(const clang::Expr* where, clang::QualType type, ir::Node value, int depth = 0);
  ir::Node new_block(const clang::Expr* where);
  void free_block(const clang::Expr* where, ir::Node block);
  void fill_block(ir::Node block, llvm::ArrayRef<const clang::Expr*> elements);
  ir::Node element_value(const clang::Expr* e);

  // C++: ends of scopes, and exceptions (lower_scopes.cpp).
  void add_clean_up(const LValue& object, clang::QualType type, bool perhaps = false);
  void clean_up_to(std::size_t count);
  void end_scope(std::size_t count);
  void destroy(const LValue& object, clang::QualType type, const clang::Expr* where = nullptr);
  void may_throw();
  void add_unwinding(const LValue& object, clang::QualType type, bool perhaps = false);
  void destroy(const CleanUp& one);
  void throw_it(const clang::CXXThrowExpr* e);
  ir::Index landing(std::size_t count);
  void attempt(const clang::CXXTryStmt* s);
  void range_for(const clang::CXXForRangeStmt* s);
  void static_local(const clang::VarDecl* variable);

  // Statements.
  void statement(const clang::Stmt* s);
  void statement_in_scope(const clang::Stmt* s);
  bool labelled(const clang::Stmt* s);
  ir::Index block_of(const clang::LabelDecl* label);
  bool jump(const clang::Stmt* s);
  bool cxx_statement(const clang::Stmt* s);
  void declaration(const clang::DeclStmt* s);
  void declare(const clang::VarDecl* variable);
  void branch(const clang::IfStmt* s);
  ir::Index condition(const clang::Expr* e);
  void choose(const clang::SwitchStmt* s);
  void mark(const clang::Stmt* s, Part part, const clang::Stmt* calls_in);
  std::vector<ir::Index> overwrites_of(const clang::Stmt* s);
  std::optional<OverwriteSite> overwrite_of(const clang::CallExpr* call, const std::string& name);
  std::optional<OverwriteSite> overwrite_of_algorithm(const std::vector<const clang::Expr*>& arguments);
  std::vector<ir::Index> add_overwrites(const OverwriteSite& site);
  ir::Index add_overwrite(OverwriteSite site, bool at_entry);
  Locals declared_in(ir::Index loop, const OverwriteSite& site);
  ir::Node contents(const clang::Expr* e);
  ir::Target target_of(const OverwriteSite& site, const Locals& locals);

  // Loops (lower_loops.cpp).
  void loop(const clang::Stmt* s, const clang::Stmt* init, const clang::Expr* condition, const clang::Expr* increment,
            const clang::Stmt* body, bool at_end);
  void start_loop(const clang::Stmt* s, const clang::Stmt* init);
  ir::Index add_loop(const clang::Stmt* s, const clang::Stmt* body);
  void passes(const clang::Stmt* s, const clang::Expr* condition, const clang::Expr* increment, const clang::Stmt* body,
              bool at_end);
  void loop_test(const clang::Stmt* s, const clang::Expr* condition, ir::Index test, ir::Index inside, ir::Index after);
  double trips(const clang::ForStmt* s) const;
  void apply_pragmas(const clang::Stmt* s, ir::Loop& loop);
  std::string obstacle_of(const clang::Stmt* loop, const clang::Stmt* body);

  // Expressions.
  ir::Node value(const clang::Expr* e);
  void discarded(const clang::Expr* e);
  ir::Node value_of(const clang::Expr* e);
  ir::Node full_value_of(const clang::Expr* e);
  ir::Node rare_value(const clang::Expr* e);
  ir::Node converted(const clang::CastExpr* cast);
  ir::Node as_number(ir::Node address);
  ir::Node last_value(const clang::CompoundStmt* body);
  ir::Node value_of_object(const clang::Expr* e);
  void sizes_in(clang::QualType type);
  LValue place(const clang::Expr* e);
  LValue place_of_member(const clang::MemberExpr* member);
  LValue place_of_element(const clang::ArraySubscriptExpr* subscript);
  ir::Node call(const clang::CallExpr* e);
  void set_callee(ir::Call& made, const clang::CallExpr* e);
  void add_argument(ir::Call& made, const clang::Expr* argument);
  ir::Node look_into(const clang::CallExpr* call, const clang::Expr* result);
  std::optional<ir::Node> known(const clang::Expr* variable);
  ir::Node unary(const clang::UnaryOperator* e);
  ir::Node binary(const clang::BinaryOperator* e);
  ir::Node choice(const clang::AbstractConditionalOperator* e);
  ir::Node shortcut(const clang::BinaryOperator* e);
  ir::Node get(const LValue& from, bool interesting);
  void put(const LValue& to, ir::Node from);
  ir::Node address_of(const LValue& of);
  ir::Node join(ir::Node left, ir::Node right);
  void initialise(const LValue& to, const clang::Expr* value);

  ir::Node temporary();
  void emit(ir::Op op, ir::Node a, ir::Node b = ir::nothing, ir::Index index = ir::none, ir::Index member = ir::none);
  ir::Index block();
  void go(ir::Index to);
  void at(ir::Index block) { block_ = block; }
  ir::Function& function() { return symbols_.program().functions[index_]; }
  const clang::SourceManager& manager() const;

  Symbols& symbols_;
  const clang::FunctionDecl* declaration_;
  const clang::ASTContext* context_;
  ir::Index index_;
  ir::Index block_ = ir::entry_block;
  std::vector<ir::Instruction>* aside_ = nullptr;    ///< where instructions go that are only looked at
  const Locals* locals_ = nullptr;                   ///< and the variables that stand for their values there
  std::map<const clang::VarDecl*, ir::Node> given_;  ///< arguments of the functions that are looked into there
  bool static_only_ = false;                         ///< for initialisers of static objects
  ir::Index position_ = ir::none;                    ///< of the statement, in Program::positions
  ir::Index loop_ = ir::none;
  std::map<const clang::VarDecl*, ir::Index> loops_;  ///< around declarations of local variables
  ir::Index marker_ = ir::none;
  ir::Index condition_ = ir::none;  ///< innermost that says something
  unsigned order_ = 0;
  bool in_team_ = false;  ///< in a construct of OpenMP
  std::vector<Targets> targets_;
  std::map<const clang::LabelDecl*, ir::Index> labels_;
  std::vector<std::pair<const clang::SwitchCase*, ir::Index>>* cases_ = nullptr;
  std::vector<CleanUp> clean_ups_;
  std::vector<Try> tries_;
  bool unwinds_ = false;                                       ///< what destructors throw now ends the program
  ir::Index members_ = ir::none;                               ///< of a destructor: where those of its members follow
  std::optional<ir::Node> given_this_;                         ///< object of the member function that is looked into
  std::map<const clang::Expr*, clang::QualType> conversions_;  ///< what calls' results are used as
};

}  // namespace cppc::frontend
