/// What becomes of arrays ahead of a place: nobody reads them any more, or parts of them are overwritten before anybody
/// reads them. By names, as the language has it: a name of a procedure is a variable of its own, and where several
/// names of a called procedure are one of the caller's, or one that it knows itself, nothing is said of that.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "fates.hpp"
#include "models/models.hpp"
#include "regions.hpp"
#include "slices.hpp"
#include "tree.hpp"

namespace cppc::fortran {

/// What says what a name is: the call whose dummies have these arguments, or an assignment to a variable, or a loop,
/// in whose passes its variable has one value after the other.
struct Link {
  const Expr* call = nullptr;
  Index callee = none;
  Index variable = none;
  ExprPtr value;
  const Statement* loop = nullptr;
  auto operator<=>(const Link& other) const {
    return std::tuple(call, callee, variable, value.get(), loop) <=>
           std::tuple(other.call, other.callee, other.variable, other.value.get(), other.loop);
  }
  bool operator==(const Link& other) const { return (*this <=> other) == 0; }
};

/// A region that is overwritten ahead, and the way to it, outermost first.
struct Overwritten {
  const Region* region = nullptr;  ///< null: this is a condition, without which nothing is overwritten
  ExprPtr condition;
  bool holds = true;    ///< what the condition has to be
  Index symbol = none;  ///< the array, where the way begins; of a condition: none
  std::vector<Link> links;
  std::set<Index> depends;  ///< variables, where the way begins, that say where it is
  std::size_t behind = 0;   ///< number of what this is behind the first link
};

class Flow {
 public:
  /// `most_steps`: of following it, each for one array.
  Flow(const Program& program, const models::Models& models, std::uint64_t most_steps);
  ~Flow();

  /// By array: what is not here is live.
  /// `in_flight`: messages may be, so that buffers of requests are live.
  std::map<Index, Ways> at(Index procedure, const Statement& loop, bool in_flight);

  [[nodiscard]] bool is_of_linker(Index symbol) const;
  [[nodiscard]] bool can_be_named(Index symbol, Index procedure) const;

  /// By procedure: whether it perhaps waits for its callee while `procedure` runs, or is that one.
  [[nodiscard]] std::vector<bool> perhaps_active(Index procedure) const;

  [[nodiscard]] const Overwritten& overwritten(std::size_t number) const { return overwritten_[number]; }

  /// Why nothing can be said of any memory; empty when it can.
  [[nodiscard]] const std::string& unclear() const { return unclear_; }

  /// Whether most_steps were enough.
  [[nodiscard]] bool complete() const { return steps_ <= most_steps_; }

 private:
  class Before;
  class Builder;
  struct Graph;
  struct Step;
  struct Sweep;
  using Fates = std::vector<Fate>;                   ///< of the arrays that are followed, in their order
  using Reached = std::set<const std::set<Index>*>;  ///< what code that is not known reaches, by what it was given

  /// A sweep's: arrays of which each pass accesses one slice only, and the variable that says which.
  struct Cells {
    std::map<Index, Index> arrays;
    std::set<Index> varying;  ///< what differs from pass to pass
  };

  /// Arrays that solve() follows.
  struct Followed {
    Followed() = default;
    Followed(std::size_t symbols, const std::set<Index>& followed);
    static constexpr std::uint32_t nowhere = -1;
    std::vector<Index> arrays;
    std::vector<std::uint32_t> places;  ///< by symbol
  };

  struct Solution {
    Fates at_exit;
    std::vector<Fates> in;  ///< by block
    std::vector<bool> met;  ///< blocks that have some
  };

  /// What a call does, as it is said in the caller.
  struct CallEffect {
    bool anything = false;
    std::set<Index> changed, by_dummies;
    std::optional<std::size_t> version;              ///< of the callee's summary
    std::vector<std::pair<Index, Fate>> at_entry;    ///< of arrays that it has to do with
    std::unordered_map<Fate, Fate> without;          ///< what is left of a fate before what the call changes
    std::unordered_map<Fate, Fate> without_skipped;  ///< of an array whose reads do no harm there
  };

  struct Summary {
    std::map<Index, Fate> at_entry;  ///< of dummies and of what outlives the procedure, as far as it uses them
    std::size_t version = 0;         ///< of that
    std::set<Index> changes;
    bool anything = false;  ///< it may read and change anything
    bool outside = false;   ///< it calls what is not known
    Reached reached;        ///< what that can reach then
    bool operator==(const Summary&) const = default;
  };

  void make_graph(Index procedure);
  void summarise();
  void add_callees_first(Index procedure, std::vector<bool>& seen);
  template <typename Improve>
  void until_settled(Improve improve);
  std::set<Index> met_in(Index procedure);
  std::map<Index, Fate> at_entry_of(Index procedure);
  void find_buffers();
  void give(const std::vector<const Expr*>& calls, std::set<Index>& given) const;
  void find_names();
  void see_other_parts(const std::set<std::string>& names);
  void find_uses_of_mpi();
  void find_outside();
  [[nodiscard]] bool has_mate_in(Index symbol, const std::set<Index>& variables) const;
  void find_used_at_end();
  void find_always_reached();
  const std::set<Index>& reached_by(const std::set<Index>& given);
  void reach_used(Index procedure, std::set<Index>& seen, std::set<Index>& reached) const;
  void reach_mates(std::set<Index>& reached) const;
  [[nodiscard]] bool is_reached(Index symbol, const Reached& reached) const;
  const std::set<Index>& reached_at(Index procedure, const Step& step);
  void call_outside(Index procedure, const Step& step, Fates& fates);
  [[nodiscard]] std::set<Index> given_before(Index procedure, const Step& step) const;
  [[nodiscard]] std::set<Index> given_at(Index procedure, const Statement& loop) const;
  void give_following();
  void add_parts(std::set<Index>& variables) const;
  void decide(const ExprPtr& condition, Fates& then, const Fates& otherwise);
  std::optional<std::size_t> guard(const ExprPtr& condition, bool holds);
  Fate closed(Fate fate, const ExprPtr& condition, bool holds);
  Fate guarded(Fate fate, const ExprPtr& condition, bool holds);
  [[nodiscard]] std::set<Index> changes_of(Index procedure) const;
  void take_steps(std::size_t count);
  const Cells& cells_of(Index procedure, const Sweep& sweep);
  [[nodiscard]] std::optional<std::map<Index, std::size_t>> changed_in(const Graph& graph, const Sweep& sweep) const;
  bool is_set_first(const Statement& loop, Index variable, Index array);
  void sweep(Index procedure, const Sweep& sweep, const Fates& in_pass, Fates& fates);
  std::optional<std::size_t> swept(std::size_t number, const Sweep& sweep, const Cells& cells, Index array);
  Solution solve(Index procedure, const Fates& at_exit);
  Fates behind(Index procedure, const Solution& solution, std::size_t block);
  template <typename Is>
  Fates holds_at(Index procedure, const Fates& at_exit, Is is);
  const Solution& solution_of(Index procedure, const Fates& at_exit);
  [[nodiscard]] Fate fate_of(const Fates& fates, Index symbol) const;
  void set_fate(Fates& fates, Index symbol, Fate fate) const;
  Fate read_part(const Step& step, Fate fate);
  void step_back(Index procedure, const Step& step, Fates& fates);
  void call_back(Index procedure, const Step& step, Fates& fates);
  CallEffect& effect_of(Index procedure, const Step& step);
  void find_changes(Index procedure, const Step& step, CallEffect& effect) const;
  void find_parts(const Step& step, CallEffect& effect);
  [[nodiscard]] std::set<Index> met_by(const Step& step) const;
  void change(Index symbol, Fates& fates);
  void overwrite(const Region& region, Fates& fates);
  void assign(Index symbol, const ExprPtr& value, Fates& fates);
  std::optional<std::size_t> through(std::size_t number, const Link& link);
  std::size_t number_of(Overwritten one);
  const Expr* first_like(const Expr& call);
  Fates exit_of(Index procedure);
  std::set<Index> bound_to_dummies(Index procedure, std::set<Index>& asked) const;
  [[nodiscard]] bool is_passed(Index callee, std::size_t i) const;
  [[nodiscard]] bool depends_on(std::size_t number, const std::set<Index>& changed, const Reached& reached) const;
  Fate without(Fate fate, const std::set<Index>& changed, const Reached& reached);
  Fate of_callee(const Step& step, Index symbol, Fate fate, const std::set<Index>& changed);
  Fate part_of(const Step& step, Index symbol, const std::set<Index>& changed_by_dummies);
  [[nodiscard]] bool tracked(Index symbol) const;
  [[nodiscard]] bool own(Index symbol, Index procedure) const;
  void make_live(Fates& fates) const;
  void end(Fates& fates) const;
  void add_shapes(std::set<Index>& changed) const;

  const Program& program_;
  const models::Models& models_;
  const Effects effects_;
  std::string unclear_;
  std::uint64_t most_steps_, steps_ = 0;
  std::vector<bool> entered_;  ///< code that is not known may call it
  std::vector<std::unique_ptr<Graph>> graphs_;
  std::vector<Summary> summaries_;
  std::vector<bool> called_otherwise_;
  std::vector<std::vector<std::pair<Index, const Expr*>>> callers_;
  std::vector<Index> callees_first_;     ///< procedures
  std::map<const Sweep*, Cells> cells_;  ///< of those that have been asked for
  std::optional<SliceFinder> slices_;    ///< once it is known what procedures change
  std::map<std::pair<Index, std::vector<std::string>>, const Expr*> calls_;  ///< first_like(), by callee and arguments
  std::map<Index, Fates> exits_;
  std::map<Index, Solution> solutions_;  ///< of all arrays, by procedure
  std::unordered_map<const Step*, CallEffect> call_effects_;
  FateTable table_;
  std::map<std::pair<const Expr*, bool>, std::optional<std::size_t>> guards_;  ///< numbers of conditions
  std::set<Index> asked_;
  std::vector<Index> tracked_;
  Followed followed_;  ///< of those, what solve() follows now
  std::vector<Overwritten> overwritten_;
  std::set<Index> depended_on_;                ///< by any of them
  std::vector<const Expr*> requests_;          ///< calls of MPI that start some
  std::vector<const Expr*> unknown_;           ///< calls of what is not known
  std::set<Index> buffers_;                    ///< of requests
  std::set<Index> in_place_;                   ///< names that MPI_IN_PLACE may have
  std::set<Index> used_at_end_;                ///< by procedures that code in other languages may have asked for
  std::vector<Index> used_in_mpi_;             ///< what code in other languages may use in any call of MPI
  bool handles_errors_ = false;                ///< a call of MPI that fails may return
  std::set<Index> of_hosts_;                   ///< what internal procedures that it may call know
  std::set<Index> given_;                      ///< to what is not known
  std::vector<std::vector<Index>> passed_as_;  ///< by symbol: dummies that it is passed as
  std::vector<std::vector<Index>> passed_;     ///< by symbol: what is passed as this dummy
  std::set<Index> always_reached_;             ///< by what is not known, whatever it was given
  std::map<std::set<Index>, std::set<Index>> reached_by_;     ///< the rest, by what it was given
  Reached reached_;                                           ///< by what it is given anywhere
  std::map<const Step*, const std::set<Index>*> reached_at_;  ///< by call of it: of what it has been given by then
  std::map<std::tuple<const Region*, const Expr*, bool, Index, std::vector<Link>>, std::size_t> numbers_;
};

}  // namespace cppc::fortran
