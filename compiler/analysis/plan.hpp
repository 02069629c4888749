/// What has to be done to a program: its safe points, the functions on the path to them, and what is live where.
#pragma once

#include "overwrites.hpp"
#include "safe_points.hpp"

namespace cppc::analysis {

/// Where a function may be left for another process.
struct Place {
  ir::Index marker;            ///< where it goes on
  ir::Index call = ir::none;   ///< of a call on the path; else a safe point
  ir::Index point = ir::none;  ///< of a safe point: its index in the plan
  bool apart = false;          ///< a call that shares its statement: it has to be made before the statement
  Objects locals;              ///< of this function, to be saved
};

/// Where objects are read first after a place; of those read after the function only, nowhere.
using Reasons = std::map<ir::Node, ir::Position>;

struct Routine {
  ir::Index function;
  std::vector<Place> places;  ///< number k is places[k - 1]
};

struct Refusal {
  ir::Position where;
  std::string what;    ///< what cannot be handled
  std::string advice;  ///< what the user can do
};

struct Warning {
  ir::Position where;
  std::string what;
};

struct Plan {
  std::vector<SafePoint> points;
  std::vector<Rejected> rejected;
  std::vector<Routine> routines;
  std::vector<Objects> live;              ///< by safe point: static objects and heap sites that are saved
  std::vector<std::vector<Ahead>> ahead;  ///< by safe point: memory that is overwritten before it is read
  Objects saved;                          ///< the union of the live ones
  std::vector<Refusal> refusals;
  std::vector<Warning> warnings;  ///< what is lost on the way
  // With state by address, by safe point:
  std::vector<Objects> dead;        ///< large static objects that nobody reads any more
  std::vector<std::string> untold;  ///< why nothing is said to be dead; empty when it can be
};

/// Why objects are live at a marker.
Reasons reasons(const ir::Program& program, const Effects& effects, ir::Index marker, const Objects& objects);

Plan make_plan(const ir::Program& program, const models::Models& models, const PointsTo& points_to,
               const Effects& effects, const Traffic& traffic, Overwrites& overwrites);

/// For ir::Program::by_address: points, rejected, live, ahead, dead and untold only.
Plan make_plan_by_address(const ir::Program& program, const models::Models& models, const PointsTo& points_to,
                          const Effects& effects, const Traffic& traffic, Overwrites& overwrites);

}  // namespace cppc::analysis
