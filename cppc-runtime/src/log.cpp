#include "log.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <string>

#include "last_error.hpp"

namespace cppc {

namespace {

std::string node_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "an unnamed node";
  return name.data();
}

std::unique_ptr<spdlog::logger> make_logger() {
  // For several threads: a checkpoint is written beside the program.
  auto logger = std::make_unique<spdlog::logger>("cppc", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_pattern("cppc: " + node_name() + ": %l: %v");
  logger->flush_on(spdlog::level::trace);
  return logger;
}

void (*last_act)(cppc_status) = nullptr;

constinit std::mutex error_mutex;
constinit std::array<char, 400> error_text{};

void remember(std::string_view text, Log::Level level = Log::Level::error) {
  if (level == Log::Level::warning) return;
  const std::lock_guard lock(error_mutex);
  if (level == Log::Level::critical && error_text.front() != '\0') return;  // it follows from that error
  error_text.fill('\0');
  text.copy(error_text.data(), error_text.size() - 1);
}

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
    const std::string formatted = fmt::vformat(text, arguments);
    remember(formatted, level);
    logger().log(urgency, formatted);
  } catch (const std::exception&) {  // no memory for the arguments
    logger().log(urgency, text);
  }
}

void last_error(std::span<char> out) {
  const std::lock_guard lock(error_mutex);
  const std::size_t bytes = std::min(std::string_view(error_text.data()).size(), out.size() - 1);
  std::copy_n(error_text.begin(), bytes, out.begin());
  out[bytes] = '\0';
}

void forget_errors() { remember({}); }

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
