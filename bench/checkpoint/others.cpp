#include "others.hpp"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>
#include <vector>

#include "figures.hpp"
#include "job.hpp"

namespace cppc::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Words = std::vector<std::string>;

constexpr auto kTimeout = std::chrono::seconds(60);
const std::string kNoDevices = "HWLOC_COMPONENTS=-linuxio";  // DMTCP fails at the files that hwloc opens for devices

bool in_path(const std::string& program) { return test::run({"sh", "-c", "command -v " + program}).status == 0; }

/// heat under a coordinator of its own.
class UnderDmtcp {
 public:
  UnderDmtcp(int ranks, int megabytes)
      : program_(Words{"dmtcp_launch", "--new-coordinator", "--coord-port", "0", "--port-file", folder_.file("port"),
                       "--no-gzip", "--ckptdir", folder_.file("images"), "mpirun", "--oversubscribe", "-n",
                       std::to_string(ranks), test::plain_app("heat"), "--mb", std::to_string(megabytes), "--until",
                       folder_.file("stop")},
                 {kNoDevices}) {}

  /// Whether it says that it has made steps.
  bool await_steps() {
    const auto end = Clock::now() + kTimeout;
    while (Clock::now() < end && program_.running()) {
      if (program_.output().find("step ") != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }

  /// Seconds until it is complete; none.
  [[nodiscard]] std::optional<double> checkpoint() const {
    const auto began = Clock::now();
    if (command("--bcheckpoint").status != 0) return std::nullopt;
    return std::chrono::duration<double>(Clock::now() - began).count();
  }

  /// Of the newest images of all processes.
  [[nodiscard]] double image_bytes() const {
    double bytes = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.file("images")))
      if (entry.path().extension() == ".dmtcp") bytes += static_cast<double>(entry.file_size());
    return bytes;
  }

  test::Finished finish() {
    std::ofstream(folder_.file("stop")).flush();
    return program_.wait();
  }

 private:
  [[nodiscard]] test::Finished command(const std::string& what) const {
    std::string port;
    std::ifstream(folder_.file("port")) >> port;
    return test::run({"dmtcp_command", "--coord-port", port, what});
  }

  test::Folder folder_;
  test::Process program_;
};

double rounded(double value) { return std::round(value * 1000) / 1000; }

}  // namespace

Compared measure_dmtcp(int ranks, int megabytes, int checkpoints) {
  if (!in_path("dmtcp_launch")) return {nullptr, "dmtcp_launch is not installed"};
  UnderDmtcp heat(ranks, megabytes);
  if (!heat.await_steps()) return {nullptr, "heat does not start under dmtcp_launch"};
  std::vector<double> seconds;
  for (int i = 0; i < checkpoints; ++i) {
    const auto one = heat.checkpoint();
    if (!one) return {nullptr, "DMTCP makes no checkpoint of heat"};
    seconds.push_back(*one);
  }
  if (heat.finish().status != 0) return {nullptr, "heat fails after DMTCP's checkpoints"};
  const double bytes = heat.image_bytes(), median = spread(seconds).median;
  return {{{"downtime_ms", rounded(median * 1e3)},
           {"image_mb", rounded(bytes / 1e6)},
           {"disk_gbs", rounded(bytes / median / 1e9)}},
          ""};
}

Compared measure_scr_or_veloc() {
  if (in_path("scr_run") || in_path("veloc-backend"))
    return {nullptr, "SCR and VeloC need a program that calls them; heat does not"};
  return {nullptr, "neither SCR (scr_run) nor VeloC (veloc-backend) is installed"};
}

}  // namespace cppc::bench
