#include "log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <string>

namespace cppc {

namespace {

std::string node_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "an unnamed node";
  return name.data();
}

std::unique_ptr<spdlog::logger> make_logger() {
  auto logger = std::make_unique<spdlog::logger>("cppc", std::make_shared<spdlog::sinks::stderr_sink_st>());
  logger->set_pattern("cppc: " + node_name() + ": %l: %v");
  logger->flush_on(spdlog::level::trace);
  return logger;
}

void (*last_act)(cppc_status) = nullptr;

}  // namespace

spdlog::logger& log() {
  // Never destroyed: the program's own exit handlers may still come here.
  static spdlog::logger& logger = *make_logger().release();
  return logger;
}

void set_log_rank(int rank) {
  log().set_pattern("cppc: rank " + std::to_string(rank) + " on " + node_name() + ": %l: %v");
}

void die(cppc_status status, std::string_view message) {
  log().critical("{} ({})", message, cppc_status_text(status));
  if (last_act != nullptr) last_act(status);
  std::_Exit(1);
}

void before_death(void (*act)(cppc_status status)) { last_act = act; }

}  // namespace cppc
