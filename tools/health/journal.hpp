/// What cppc-health has been told and has begun, kept in a file, so that another process can go on after it.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "append_file.hpp"
#include "engine.hpp"

namespace cppc::health {

/// A line {"boot","at","notice"}, {"boot","at","start":node} or {"boot","at","end":node,"outcome","said"}; "at" is in
/// milliseconds since the start of the machine that "boot" names. What was written before the machine was started
/// counts as written when it was.
class Journal {
 public:
  /// Replays what is in the file, and leaves out what does not matter any more. A last line that is incomplete is what
  /// a process wrote when it was killed: it is left out with a warning. Other damage is an error.
  static Result<Journal> open(const std::filesystem::path& file, Engine& engine, Time now, const std::string& boot);

  static nlohmann::json notice(const Notice& notice);
  static nlohmann::json start(const std::string& node);
  static nlohmann::json end(const std::string& node, Outcome outcome, const std::string& summary);

  /// All on the disk when it returns without an error, with those that could not be written before.
  Result<void> write(const std::vector<nlohmann::json>& records, Time now);

  /// Whether there is something that could not be written.
  bool is_behind() const { return !unwritten_.empty(); }

  /// Whether compact() is worth while.
  bool is_long() const { return written_ > longest; }
  Result<void> compact(const Engine& engine, Time now);

 private:
  static constexpr std::size_t longest = 8 << 20;

  Journal(std::filesystem::path path, AppendFile file, std::string boot)
      : path_(std::move(path)), file_(std::move(file)), boot_(std::move(boot)) {}

  std::filesystem::path path_;
  AppendFile file_;
  std::string boot_;
  std::string unwritten_;    // lines, in the order in which they were to be written
  std::size_t written_ = 0;  // since it was compacted
};

}  // namespace cppc::health
