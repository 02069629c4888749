#include "log.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <exception>
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

spdlog::logger& logger() {
  // Never destroyed: the program's own exit handlers may still come here.
  static spdlog::logger& one = *make_logger().release();
  return one;
}

spdlog::level::level_enum level_of(Log::Level level) {
  return level == Log::Level::warning ? spdlog::level::warn
         : level == Log::Level::error ? spdlog::level::err
                                      : spdlog::level::critical;
}

}  // namespace

void Log::silence(bool silent) { logger().set_level(silent ? spdlog::level::off : spdlog::level::info); }

void Log::write(Level level, fmt::string_view text, fmt::format_args arguments) {
  const spdlog::level::level_enum urgency = level_of(level);
  if (!logger().should_log(urgency)) return;
  try {
    logger().log(urgency, fmt::vformat(text, arguments));
  } catch (const std::exception&) {  // no memory for the arguments
    logger().log(urgency, text);
  }
}

Log log() { return {}; }

void set_log_rank(int rank) {
  logger().set_pattern("cppc: rank " + std::to_string(rank) + " on " + node_name() + ": %l: %v");
}

void die(cppc_status status, std::string_view message) {
  log().critical("{} ({})", message, cppc_status_text(status));
  if (last_act != nullptr) last_act(status);
  std::_Exit(1);
}

void before_death(void (*act)(cppc_status status)) { last_act = act; }

}  // namespace cppc
