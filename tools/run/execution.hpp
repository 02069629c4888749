/// The migration, or checkpoint, that is being carried out, as the controller sees it.
#pragma once

#include <chrono>
#include <set>
#include <string>

#include "cppc/plan.hpp"
#include "relocation.hpp"

namespace cppc::run {

struct Execution {
  enum class State {
    revocable,   ///< the agents prepare, negotiate, stop the ranks, ship: each of them can undo it by itself
    undoing,     ///< the agents have been told to undo it
    committing,  ///< it is decided, and cannot be undone
    retiring,    ///< it is done but for the exit of the agent whose node is evacuated
    releasing,   ///< and but for the end of the resource manager's job on that node
    telling,     ///< a checkpoint: all files are there, but not all agents have told what they have
    storing,     ///< likewise: it is about to count
    leaving,     ///< a relocation: it counts; ranks and agents leave, and come again with the next mpirun
  };

  plan::Plan plan;
  State state = State::revocable;
  int leader = -1;                 ///< the agent that reports its end
  std::set<int> ready;             ///< agents that promise to commit it
  int ticks = 0;                   ///< since its phase began
  RelocationPlan relocation = {};  ///< of a relocation
  std::string spoiled = {};  ///< why the job cannot be relocated any more, although all files are there; empty: it can

  /// Of the state `undoing`.
  struct Undoing {
    std::string reason;
    std::set<int> awaited;  ///< agents that have not answered yet
    std::chrono::seconds timeout{0};
    int ticks = 0;
  } undo;

  /// Whether the ranks have moved, and only the evacuated node is waited for.
  bool moved() const { return state == State::retiring || state == State::releasing; }
  /// Whether the agents have nothing to do with it any more.
  bool concluded() const {
    return moved() || state == State::telling || state == State::storing || state == State::leaving;
  }
};

}  // namespace cppc::run
