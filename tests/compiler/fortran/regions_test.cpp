/// Trees made by hand: which parts of arrays loops and assignments write, and where nothing of that can be said.
#include "frontend/fortran/regions.hpp"

#include <gtest/gtest.h>

#include <map>

#include "frontend/fortran/algebra.hpp"

namespace cppc::fortran {
namespace {

using Kind = Expr::Kind;

class RegionsTest : public testing::Test {
 protected:
  RegionsTest() : i_(integer("i")), j_(integer("j")), n_(integer("n")) {}

  Index integer(const std::string& name) {
    program_.symbols.push_back({.name = name, .storage = Symbol::Storage::fixed, .bytes = 4, .element = 4, .integer = true});
    return static_cast<Index>(program_.symbols.size() - 1);
  }
  /// With such upper bounds.
  Index array(const std::string& name, const std::vector<std::int64_t>& bounds) {
    Symbol made{.name = name, .storage = Symbol::Storage::fixed, .element = 8, .array = true};
    made.bytes = 8;
    for (const std::int64_t bound : bounds) {
      made.bytes *= static_cast<std::uint64_t>(bound);
      made.bounds.push_back({constant(1), constant(bound)});
    }
    program_.symbols.push_back(std::move(made));
    return static_cast<Index>(program_.symbols.size() - 1);
  }

  static ExprPtr name(Index symbol) { return std::make_shared<const Expr>(Expr{.kind = Kind::name, .symbol = symbol}); }
  static ExprPtr shifted(Index symbol, std::int64_t by) { return operate("+", name(symbol), constant(by)); }
  static ExprPtr element(Index array, std::vector<ExprPtr> subscripts) {
    subscripts.insert(subscripts.begin(), name(array));
    return std::make_shared<const Expr>(Expr{.kind = Kind::element, .parts = std::move(subscripts)});
  }
  static ExprPtr range(ExprPtr low, ExprPtr high, std::int64_t stride = 1) {
    return std::make_shared<const Expr>(
        Expr{.kind = Kind::range, .parts = {std::move(low), std::move(high), constant(stride)}});
  }
  static Statement assign(ExprPtr target, ExprPtr value = constant(0)) {
    return {.kind = Statement::Kind::assign, .target = std::move(target), .value = std::move(value)};
  }
  static Statement loop(Index variable, ExprPtr low, ExprPtr high, Statements body) {
    Statement made{.kind = Statement::Kind::loop, .variable = variable};
    made.low = std::move(low);
    made.high = std::move(high);
    made.body = std::move(body);
    return made;
  }

  std::vector<Region> found(const Statement& statement) {
    return regions_of(program_, effects_of(program_), statement);
  }

  static std::int64_t value(const Expr& e, const std::map<Index, std::int64_t>& variables) {
    if (e.kind == Kind::constant) return e.value;
    if (e.kind == Kind::name) return variables.at(e.symbol);
    const std::int64_t left = value(*e.parts[0], variables), right = value(*e.parts[1], variables);
    if (e.word == "*") return left * right;
    if (e.word == "/") return left / right;
    return e.word == "+" ? left + right : left - right;
  }
  /// First and last subscripts of a region, by dimension.
  static std::vector<std::pair<std::int64_t, std::int64_t>> bounds(const Region& region,
                                                                   const std::map<Index, std::int64_t>& variables) {
    std::vector<std::pair<std::int64_t, std::int64_t>> made;
    for (const Extent& extent : region.extents)
      made.emplace_back(value(*extent.low, variables), value(*extent.high, variables));
    return made;
  }

  Program program_;
  const Index i_, j_, n_;
};

using Ranges = std::vector<std::pair<std::int64_t, std::int64_t>>;

TEST_F(RegionsTest, ALoopWritesWhatItsVariableGoesThrough) {
  const Index a = array("a", {100});
  const auto regions = found(loop(i_, constant(2), name(n_), {assign(element(a, {shifted(i_, 1)}))}));
  ASSERT_EQ(regions.size(), 1U);
  EXPECT_EQ(regions[0].symbol, a);
  EXPECT_EQ(bounds(regions[0], {{n_, 50}}), (Ranges{{3, 51}}));
  EXPECT_EQ(regions[0].depends, std::set<Index>{n_});
  EXPECT_TRUE(regions[0].alone);
}

TEST_F(RegionsTest, ANestWritesABlock) {
  const Index a = array("a", {10, 20});
  const Statement inner = loop(i_, constant(1), constant(10), {assign(element(a, {name(i_), name(j_)}))});
  const auto regions = found(loop(j_, constant(5), name(n_), {inner}));
  ASSERT_EQ(regions.size(), 1U);
  EXPECT_EQ(bounds(regions[0], {{n_, 7}}), (Ranges{{1, 10}, {5, 7}}));
}

TEST_F(RegionsTest, SectionsGoOnFromPassToPass) {
  const Index a = array("a", {100});
  const ExprPtr before = operate("*", operate("-", name(i_), constant(1)), name(n_));
  const ExprPtr section = range(operate("+", before, constant(1)), operate("*", name(i_), name(n_)));
  const auto regions = found(loop(i_, constant(1), constant(4), {assign(element(a, {section}))}));
  ASSERT_EQ(regions.size(), 1U);
  EXPECT_EQ(bounds(regions[0], {{n_, 25}}), (Ranges{{1, 100}}));
}

TEST_F(RegionsTest, NeighboursInOnePassAreOne) {
  const Index a = array("a", {2, 20});
  const auto regions = found(loop(
      i_, constant(1), constant(20),
      {assign(element(a, {constant(1), name(i_)})), assign(element(a, {constant(2), name(i_)}))}));
  ASSERT_FALSE(regions.empty());
  EXPECT_EQ(bounds(regions[0], {}), (Ranges{{1, 2}, {1, 20}}));
}

TEST_F(RegionsTest, WhatIsReadAfterItsWriteDoesNoHarm) {
  const Index a = array("a", {100}), b = array("b", {100});
  const auto regions = found(loop(i_, constant(1), constant(100),
                                  {assign(element(a, {name(i_)})), assign(element(b, {name(i_)}), element(a, {name(i_)}))}));
  ASSERT_EQ(regions.size(), 2U);
  EXPECT_FALSE(regions[0].alone);
  EXPECT_TRUE(regions[1].alone);
}

TEST_F(RegionsTest, RegionReadBeforeItsWriteIsNotDead) {
  const Index a = array("a", {100});
  const auto filled_with = [&](const ExprPtr& value) {
    return found(loop(i_, constant(2), constant(100), {assign(element(a, {name(i_)}), value)}));
  };
  EXPECT_TRUE(filled_with(element(a, {name(i_)})).empty());
  EXPECT_TRUE(filled_with(element(a, {shifted(i_, -1)})).empty());
  EXPECT_TRUE(filled_with(element(a, {constant(50)})).empty());
}

TEST_F(RegionsTest, RegionIsDeadWhenOnlyOtherPartsAreRead) {
  const Index a = array("a", {100}), b = array("b", {100, 3});
  EXPECT_EQ(
      found(loop(i_, constant(2), constant(100), {assign(element(a, {name(i_)}), element(a, {constant(1)}))})).size(),
      1U);
  const auto column_from = [&](std::int64_t from) {
    return found(loop(i_, constant(1), constant(100),
                      {assign(element(b, {name(i_), constant(2)}), element(b, {name(i_), constant(from)}))}));
  };
  EXPECT_EQ(column_from(3).size(), 1U);
  EXPECT_TRUE(column_from(2).empty());
}

TEST_F(RegionsTest, APlaneThatIsWrittenElementByElement) {
  const Index a = array("a", {2, 3, 100});
  Statements body;
  for (const std::int64_t column : {1, 2, 3})
    for (const std::int64_t row : {1, 2})
      body.push_back(assign(element(a, {constant(row), constant(column), name(i_)})));
  const auto regions = found(loop(i_, constant(1), name(n_), body));
  ASSERT_EQ(regions.size(), 1U);
  EXPECT_EQ(bounds(regions[0], {{n_, 7}}),
            (std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 2}, {1, 3}, {1, 7}}));
}

TEST_F(RegionsTest, RegionReadByAnAliasIsNotDead) {
  const Index a = array("a", {100}), target = array("target", {100});
  program_.symbols[a].mates = {target};
  program_.symbols[target].pointers = {a};
  EXPECT_TRUE(
      found(loop(i_, constant(1), constant(100), {assign(element(a, {name(i_)}), element(target, {name(i_)}))})).empty());
}

TEST_F(RegionsTest, RegionWrittenConditionallyIsNotDead) {
  const Index a = array("a", {100});
  Statement branch{.kind = Statement::Kind::branch};
  branch.cases.push_back({operate("<", name(i_), name(n_)), {assign(element(a, {name(i_)}))}});
  EXPECT_TRUE(found(loop(i_, constant(1), constant(100), {branch})).empty());
  const Statement leave{.kind = Statement::Kind::leave, .label = 0};
  branch.cases.front().body = {leave};
  EXPECT_TRUE(found(loop(i_, constant(1), constant(100), {branch, assign(element(a, {name(i_)}))})).empty());
}

TEST_F(RegionsTest, RegionWithGapsIsNotDead) {
  const Index a = array("a", {100});
  Statement every_other = loop(i_, constant(1), constant(100), {assign(element(a, {name(i_)}))});
  every_other.step = constant(2);
  EXPECT_TRUE(found(every_other).empty());
  EXPECT_TRUE(
      found(loop(i_, constant(1), constant(50), {assign(element(a, {operate("*", name(i_), constant(2))}))})).empty());
  EXPECT_FALSE(region_of(program_, {}, assign(element(a, {range(constant(1), constant(100), 2)}))));
}

TEST_F(RegionsTest, RegionWithUnknownCallsOrThreadsIsNotDead) {
  const Index a = array("a", {100});
  const Expr called{.kind = Kind::call};
  Statement call{.kind = Statement::Kind::call, .expressions = {std::make_shared<const Expr>(called)}};
  EXPECT_TRUE(found(loop(i_, constant(1), constant(100), {assign(element(a, {name(i_)})), call})).empty());
  Statement team{.kind = Statement::Kind::branch, .complete = true, .team = true};
  team.cases.push_back({nullptr, {assign(name(n_))}});
  EXPECT_TRUE(found(loop(i_, constant(1), constant(100), {assign(element(a, {name(i_)})), team})).empty());
}

TEST_F(RegionsTest, RegionWithAChangingSubscriptIsNotDead) {
  const Index a = array("a", {100});
  EXPECT_TRUE(
      found(loop(i_, constant(1), constant(10), {assign(element(a, {name(i_)})), assign(name(i_), constant(7))})).empty());
}

TEST_F(RegionsTest, AssignmentsToWholeArraysAndSections) {
  const Index a = array("a", {10, 20});
  const auto whole = region_of(program_, {}, assign(name(a)));
  ASSERT_TRUE(whole);
  EXPECT_EQ(bounds(*whole, {}), (Ranges{{1, 10}, {1, 20}}));
  const auto section = region_of(program_, {}, assign(element(a, {range(nullptr, name(n_)), constant(3)})));
  ASSERT_TRUE(section);
  EXPECT_EQ(bounds(*section, {{n_, 4}}), (Ranges{{1, 4}, {3, 3}}));
  EXPECT_FALSE(region_of(program_, {}, assign(element(a, {constant(1), constant(3)}))));
}

}  // namespace
}  // namespace cppc::fortran
