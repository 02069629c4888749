/// The shadow of a function on the path: the structure in its frame that keeps what is live at its places. Of scalars
/// that have no address it keeps the values, of all other variables where they are.
#pragma once

#include "path_function.hpp"

namespace cppc::rewrite {

class Shadow {
 public:
  explicit Shadow(const PathFunction& function) : function_(function), context_(function.context) {}

  /// A variable that is live at the place.
  void add(int place, const clang::VarDecl* variable);
  /// A variable around the place whose type has extents of its own, if it has.
  void add_extents(int place, const clang::VarDecl* variable);
  /// The value of a call that is made apart, and where such a value is live.
  void add_value(int call);
  void keep_value(int place, int call) { kept_[place].emplace(value(call), call); }

  /// Whether the shadow keeps the variable's value, not its address.
  [[nodiscard]] bool by_value(const clang::VarDecl* variable) const;

  /// Members for the extents of a variable-length array, or of what a pointer leads to; for a call's value.
  const std::vector<std::string>& extents(const clang::VarDecl* variable);
  [[nodiscard]] static std::string value(int call) { return "cppc_value_" + std::to_string(call); }

  /// Code that keeps what is live at the place, and that gives it back.
  [[nodiscard]] std::string store_values(int place) const;
  [[nodiscard]] std::string store_addresses(int place) const;
  [[nodiscard]] std::string load_values(int place) const;

  /// The structure's members.
  [[nodiscard]] std::string members() const;

  /// What the runtime has to know about the function's places.
  [[nodiscard]] std::string tables() const;

 private:
  struct Member {
    const clang::VarDecl* variable;
    std::string name;  ///< in the shadow
    bool in_memory;    ///< its address is kept, not its value
    bool variable_length;
  };
  struct Rows {
    std::string fields, variables;
  };

  [[nodiscard]] Member make_member(const clang::VarDecl* variable) const;
  void drop_const(const clang::VarDecl* variable) const;
  [[nodiscard]] std::vector<const Member*> live_at(int place) const;
  [[nodiscard]] std::string declare(clang::QualType type, const std::string& name) const;
  void describe(const Member& member, Rows& rows) const;
  [[nodiscard]] Rows rows(int place) const;
  [[nodiscard]] std::string structure() const { return "struct cppc_live_" + function_.name; }

  const PathFunction& function_;
  const Context& context_;
  std::vector<Member> members_;
  std::map<const clang::VarDecl*, std::size_t> member_of_;
  std::map<int, std::vector<std::size_t>> live_;    ///< members by place
  std::map<int, std::set<std::string>> lengths_;    ///< extents of arrays around a place
  std::map<int, std::map<std::string, int>> kept_;  ///< by place: values of calls made before
  std::vector<int> values_;                         ///< calls whose values are kept
  std::map<const clang::VarDecl*, std::vector<std::string>> extents_;
};

}  // namespace cppc::rewrite
