/// Memory that is overwritten before it is read again, on all paths from a place on: it need not be saved there. Where
/// exactly it lies is known at run time only, so that the program says so itself when it stops.
#pragma once

#include <functional>
#include <optional>

#include "roots.hpp"

namespace cppc::analysis {

/// An overwrite that lies ahead, in this function or in what it calls.
struct Ahead {
  ir::Index overwrite;
  std::vector<ir::Index> calls;  ///< that lead to it, outermost first
  Objects apart;                 ///< pointer variables: it counts only where none of them leads into the same block
  /// When it does not come to the overwrite on all paths: the variable that the memory is in, or that leads to it, or
  /// by a member of which it is reached. What else says where it is may then be anything, and counts only where it
  /// leads into the same object.
  ir::Part within;
};

class Overwrites {
 public:
  Overwrites(const ir::Program& program, const models::Models& models, const PointsTo& points_to,
             const Effects& effects);

  /// At a marker of `function`, given what is live after the function; null when that is not known.
  [[nodiscard]] std::vector<Ahead> at(ir::Index function, ir::Index marker, const Objects* live_at_exit);

 private:
  struct Fact {
    Ahead ahead;
    Objects target;           ///< what is overwritten, perhaps
    Objects parts;            ///< of structures that say where it is (PointsTo::part()), and these structures
    Objects depends;          ///< what says where it is
    bool speculates = false;  ///< what says where must not be evaluated on other ways: it follows pointers, or divides
    ir::Node named = ir::nothing;    ///< the variable that it lies in, when that is named directly
    ir::Node root = ir::nothing;     ///< the variable that leads to it
    std::optional<ir::Part> member;  ///< or a member of a structure
    Objects parameters;              ///< that lead to this structure, of the function that is looked at
    bool certain = true;     ///< of a callee: it overwrites; otherwise it leaves alone what may be overwritten after it
    bool elsewhere = false;  ///< of a callee: as of a claim
    bool left = false;       ///< the same
  };
  /// Whether a fact holds, provided that some variables lead to other blocks.
  struct Claim {
    bool holds = false;
    Objects apart;
    bool elsewhere = false;  ///< on a path without the overwrite, too: there, nobody reads the object any more
    bool left = false;       ///< or another block that the pointer leads to, left behind: nobody reads any block there
    bool operator==(const Claim&) const = default;
  };
  /// By number of the fact: now; and, inside the nest that it is about, from the start of the nest on.
  struct Held {
    std::vector<Claim> now, from_start;
    bool operator==(const Held&) const = default;
  };

  /// Of one function: its facts, and those that each of its instructions establishes.
  struct Facts {
    std::vector<Fact> all;
    std::map<ir::Index, std::vector<std::size_t>> by_overwrite, by_call;
  };

  /// What holds after a function: nothing, but of what is not live there when that is known; or everything.
  struct AtExit {
    bool holds = false;
    const Objects* live = nullptr;
    std::vector<bool> freed;  ///< by fact, if there is any: it leads to a block that is freed, and not read before
  };

  /// What a call of free() is given.
  struct Freed {
    ir::Node root = ir::nothing;
    std::optional<ir::Part> member, parameters_member;
  };

  /// A function that is asked about, a structure that parameters of it lead to, and a member.
  struct Question {
    ir::Index function;
    ir::Node structure;
    ir::Index member;
    std::vector<ir::Node> parameters;
    auto operator<=>(const Question&) const = default;
  };

  Facts facts_of(ir::Index function, std::size_t depth, bool from_outside);
  const std::vector<Fact>& at_entry(ir::Index function, std::size_t depth);
  std::optional<Fact> through(ir::Index call, const Fact& below) const;
  [[nodiscard]] Fact made_by(ir::Index overwrite, const ir::Target& target) const;
  std::vector<Held> solve(ir::Index function, const Facts& facts, const AtExit& exit,
                          const std::function<void(const ir::Instruction&, const Held& after)>& visit = {});
  void step_back(ir::Index function, const ir::Instruction& instruction, const Facts& facts, Held& held);
  void see_callee(const Fact& fact, const Effect& effect, const Claim& after, Claim& claim) const;
  void see_effect(ir::Index function, const ir::Instruction& instruction, const Fact& fact, const Effect& effect,
                  Claim& claim) const;
  void depend_on(ir::Part part, Fact& fact) const;
  [[nodiscard]] static bool moves(const Fact& fact, const Effect& effect);
  void find_freed(ir::Index call);
  [[nodiscard]] bool leads_to_blocks(const Fact& fact) const;
  [[nodiscard]] bool reads_blocks(const Effect& effect) const;
  [[nodiscard]] bool frees(const ir::Instruction& instruction, const Effect& effect, const Fact& fact);
  bool always_frees(ir::Index function, const ir::Call& call, const Fact& fact);
  bool freed_after(ir::Index function, const Fact& fact, std::map<ir::Index, bool>& asked);
  [[nodiscard]] static bool may_miss(const Fact& fact, const Objects& live);

  const ir::Program& program_;
  const models::Models& models_;
  const PointsTo& points_to_;
  const Effects& effects_;
  Roots roots_;
  std::map<std::pair<ir::Index, std::size_t>, std::vector<Fact>> entries_;
  std::map<ir::Index, Freed> freed_;                   ///< by call
  std::map<ir::Index, std::set<ir::Index>> may_free_;  ///< by member: functions that free it themselves or in callees
  std::map<Question, bool> always_frees_;
};

}  // namespace cppc::analysis
