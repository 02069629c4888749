#include "measure.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "job.hpp"

namespace cppc::test {

nlohmann::json measure(const std::vector<std::string>& command, int safe_point) {
  const Folder folder;
  const Finished finished =
      run_alone(command, {with_extension("measuring_extension"), "CPPC_MEASURE_AT=" + std::to_string(safe_point),
                          "CPPC_MEASURE_INTO=" + folder.file("objects")});
  std::ifstream file(folder.file("objects"));
  auto objects = nlohmann::json::parse(file, nullptr, false);
  if (finished.status == 0 && objects.is_object()) return objects;
  std::fprintf(stderr, "%s: status %d, nothing measured at safe point %d\n%s%s", command.front().c_str(),
               finished.status, safe_point, finished.output.c_str(), finished.errors.c_str());
  std::exit(1);
}

}  // namespace cppc::test
