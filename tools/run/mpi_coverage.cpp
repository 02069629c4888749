#include "mpi_coverage.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace cppc::run {
namespace {

constexpr std::string_view supported = "supported", passed = "passed through", refused = "refused";

struct Row {
  std::string_view function, what;
};

std::vector<Row> rows() {
  std::vector<Row> all;
#define SUPPORTED(name, ...) all.push_back({#name, supported});
#define REFUSED(name, ...) all.push_back({#name, refused});
#define UNCHANGED(name) all.push_back({#name, passed});
#include "cppc/mpi/all.def"
  return all;
}

/// Functions of Fortran do what those of C do.
std::vector<Row> fortran_rows(const std::vector<Row>& of_c) {
  std::vector<Row> all;
  const auto add = [&](std::string_view c, std::string_view name) {
    const auto found = std::ranges::find(of_c, c, &Row::function);
    all.push_back({name, found != of_c.end() && found->what == refused ? refused : supported});
  };
#define FORTRAN(c, lower, ...) add(#c, #lower);
#define FORTRAN_TEXT FORTRAN
#define FORTRAN_OWN FORTRAN
#define FORTRAN_REQUESTS FORTRAN
#define FORTRAN_REFUSED(c, lower, ...) all.push_back({#lower, refused});
#include "cppc/mpi/fortran.def"
  return all;
}

}  // namespace

std::string mpi_coverage() {
  std::vector<Row> all = rows();
  for (const Row& row : fortran_rows(all)) all.push_back(row);
  std::ranges::sort(all, {}, &Row::function);
  std::string text;
  for (const auto& [function, what] : all) {
    text += function;
    text.append(std::max<std::size_t>(36, function.size() + 1) - function.size(), ' ');
    text += std::string(what) + '\n';
  }
  const auto count = [&](std::string_view what) { return std::to_string(std::ranges::count(all, what, &Row::what)); };
  return text + std::to_string(all.size()) + " functions: " + count(supported) + " supported, " + count(passed) +
         " passed through, " + count(refused) + " refused\n";
}

}  // namespace cppc::run
