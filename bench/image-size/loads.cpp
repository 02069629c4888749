#include "loads.hpp"

#include <numeric>

extern "C" {
#include "matrix.h"
}

namespace cppc::bench {
namespace {

constexpr double kDouble = 8, kComplex = 16, kInt = 4;

double cube(double side) { return side * side * side; }

/// Elements of the matrix of cg.c and cg_f90.f90, class W on one rank: random, so it has to be made.
double nonzeros_of_class_w() {
  const problem class_w{.name = "W", .order = 7000, .nonzeros = 8, .iterations = 15, .shift = 12, .zeta = 0};
  matrix made{};
  make_matrix(&made, &class_w, 0, 1);
  const double count = made.row_begin[made.rows];
  release_matrix(&made);
  return count;
}

/// The matrix by rows, and x.
std::vector<Saved> cg() {
  constexpr double kRows = 7000;
  const double count = nonzeros_of_class_w();
  return {{"rows", (kRows + 1) * kInt}, {"columns", count * kInt}, {"values", count * kDouble}, {"x", kRows * kDouble}};
}

/// cg_f90 has safe points in the 25 iterations of its solver, too, where more is live: before the second time step come
/// the one between repetitions, that of the first step, and these.
constexpr int kSecondStepOfCg = 1 + 1 + 25 + 1;

/// On the finest level, with a layer of neighbours' points. Between repetitions, where mg_f90 has its safe point, u is
/// about to be cleared.
std::vector<Saved> mg_between_repetitions() {
  constexpr double kPoints = 128;
  return {{"v", cube(kPoints + 2) * kDouble}};
}

std::vector<Saved> mg() {
  std::vector<Saved> all = mg_between_repetitions();
  all.push_back({"u", all.front().bytes});
  return all;
}

std::vector<Saved> ft(double roots) { return {{"spectrum", 128.0 * 128 * 32 * kComplex}, {"roots", roots * kComplex}}; }

/// Sums and counts of this repetition and of the first one.
std::vector<Saved> ep() { return {{"tallies", 2 * (2 + 10) * kDouble}}; }

/// An atom has position, velocity, force and an id; there are 9 x 9 to a layer.
std::vector<Saved> md(double layers) { return {{"atoms", 9 * 9 * layers * (9 * kDouble + 8)}}; }

std::vector<Saved> adi() {
  constexpr double kPoints = 48, kComponents = 5;
  return {{"U", kComponents * cube(kPoints + 2) * kDouble},
          {"FORCE", kComponents * cube(kPoints) * kDouble},
          {"CE", kComponents * 10 * kDouble}};
}

}  // namespace

std::vector<Load> loads() {
  return {
      {"heat", {"--quiet", "--size", "2000", "--steps", "10"}, 4, {{"now", 2002.0 * 2002 * kDouble}}},
      {"adi_f77", {"--steps", "7"}, 4, adi()},
      {"cg_f90", {"W"}, kSecondStepOfCg, cg()},
      {"mg_f90", {"W", "--repeat", "5"}, 4, mg_between_repetitions()},
      {"ft_f90", {"W"}, 4, ft(256)},
      {"ft_f77", {"--steps", "6"}, 4, ft(128)},
      {"ep_f90", {"S", "--repeat", "3"}, 2, ep()},
      {"cg", {"W", "--quiet"}, 4, cg()},
      {"ep", {"S", "--repeat", "3"}, 2, ep()},
      {"is", {"A"}, 4, {{"keys", 8388608 * kInt}}},
      {"mg", {"W", "--repeat", "2"}, 4, mg()},
      {"ft", {"W"}, 4, ft(256)},
      {"md", {"--layers", "120", "--steps", "8"}, 4, md(120)},
      {"tree", {"--steps", "10"}, 4, {}},
      {"blocks",
       {"--size", "256", "--steps", "8"},
       4,
       {{"temperatures", 256.0 * 256 * kDouble}, {"row_heat", 256 * kDouble}}},
      {"types", {"--rows", "1000", "--columns", "1000", "--steps", "8"}, 4, {{"cells", 1000.0 * 1000 * kInt}}},
  };
}

double total(const std::vector<Saved>& by_hand) {
  return std::accumulate(by_hand.begin(), by_hand.end(), 0.0,
                         [](double sum, const Saved& one) { return sum + one.bytes; });
}

}  // namespace cppc::bench
