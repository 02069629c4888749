#include "measure.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "job.hpp"

namespace cppc::test {

namespace {

std::vector<std::string> settings(const Folder& folder, int safe_point) {
  return {with_extension("measuring_extension"), "CPPC_MEASURE_AT=" + std::to_string(safe_point),
          "CPPC_MEASURE_INTO=" + folder.file("objects")};
}

/// Null when there is no such file.
nlohmann::json objects_of(const Folder& folder, int rank) {
  std::ifstream file(folder.file("objects." + std::to_string(rank)));
  auto objects = nlohmann::json::parse(file, nullptr, false);
  return objects.is_object() ? objects : nlohmann::json();
}

}  // namespace

nlohmann::json measure(const std::vector<std::string>& command, int safe_point) {
  const Folder folder;
  const Finished finished = run_alone(command, settings(folder, safe_point));
  auto objects = objects_of(folder, 0);
  if (finished.status == 0 && objects.is_object()) return objects;
  std::fprintf(stderr, "%s: status %d, nothing measured at safe point %d\n%s%s", command.front().c_str(),
               finished.status, safe_point, finished.output.c_str(), finished.errors.c_str());
  std::exit(1);
}

nlohmann::json measure_ranks(const std::vector<std::string>& command, int ranks, int safe_point,
                             std::chrono::seconds limit, std::string& output) {
  const Folder folder;
  std::vector<std::string> mpirun{"mpirun", "--oversubscribe",    "--mca", "mpi_yield_when_idle", "1",
                                  "-n",     std::to_string(ranks)};
  mpirun.insert(mpirun.end(), command.begin(), command.end());
  std::vector<std::string> environment = settings(folder, safe_point);
  environment.insert(environment.end(), {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"});
  const Finished finished = Process(mpirun, environment).wait(limit);
  output = finished.output + finished.errors;
  auto all = nlohmann::json::array();
  for (int rank = 0; rank < ranks; ++rank) {
    all.push_back(objects_of(folder, rank));
    if (all.back().is_null()) return nullptr;
  }
  return all;
}

}  // namespace cppc::test
