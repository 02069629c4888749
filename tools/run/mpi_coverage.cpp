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
#define PASSED SUPPORTED
#define SENDS SUPPORTED
#define STARTS SUPPORTED
#define STARTS_SEND SUPPORTED
#define CREATES SUPPORTED
#define MAKES_TYPE SUPPORTED
#define MAKES_INFO SUPPORTED
#define GROUPED SUPPORTED
#define MAKES_GROUP SUPPORTED
#define BEGINS SUPPORTED
#define ENDS SUPPORTED
#define OWN SUPPORTED
#define GETS SUPPORTED
#define PUTS SUPPORTED
#define STARTS_PUT SUPPORTED
#define UNCHANGED(name) all.push_back({#name, passed});
#define REFUSED(name, ...) all.push_back({#name, refused});
#define OWN_REFUSED REFUSED
#include "cppc/mpi/collectives.def"
#include "cppc/mpi/datatypes.def"
#include "cppc/mpi/files.def"
#include "cppc/mpi/functions.def"
#include "cppc/mpi/one_sided.def"
#include "cppc/mpi/others.def"
  std::ranges::sort(all, {}, &Row::function);
  return all;
}

}  // namespace

std::string mpi_coverage() {
  const std::vector<Row> all = rows();
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
