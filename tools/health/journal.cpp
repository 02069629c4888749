#include "journal.hpp"

#include <spdlog/spdlog.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace cppc::health {
namespace {

using nlohmann::json;
using tools::error;
using namespace std::chrono_literals;

const char* name_of(Outcome outcome) {
  return outcome == Outcome::emptied ? "emptied" : outcome == Outcome::failed ? "failed" : "hopeless";
}

Outcome outcome_of(const std::string& name) {
  return name == "emptied" ? Outcome::emptied : name == "failed" ? Outcome::failed : Outcome::hopeless;
}

struct Record {
  Time at{};
  std::string node;
  json line;
};

Result<Record> record_from(const std::string& text, const std::string& boot) {
  Record record;
  record.line = json::parse(text, nullptr, /*allow_exceptions=*/false);
  const json& line = record.line;
  if (!line.is_object() || !line.contains("at") || !line["at"].is_number_integer()) return error("it is damaged");
  const bool same = line.value("boot", json()) == boot;
  record.at = same ? Time(line["at"].get<Time::rep>()) : Time(0);
  for (const char* kind : {"start", "end"})
    if (line.contains(kind) && line[kind].is_string()) record.node = line[kind].get<std::string>();
  if (line.contains("notice")) {
    const auto notice = notice_from(line["notice"]);
    if (!notice) return error(notice.error());
    record.node = notice->node;
  }
  if (record.node.empty()) return error("it says nothing that is known");
  return record;
}

tl::unexpected<std::string> cannot_read(const std::filesystem::path& path) {
  const int number = errno;
  return error("cannot read " + path.string() + (number == 0 ? "" : std::string(": ") + std::strerror(number)));
}

// A last line that is incomplete is left out; without a file there are none.
Result<std::vector<Record>> read_records(const std::filesystem::path& path, const std::string& boot) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::vector<Record> records;
  if (!in && errno == ENOENT) return records;
  if (!in) return cannot_read(path);
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    const bool torn = in.eof();  // no newline at its end
    auto record = torn ? error("it is incomplete") : record_from(line, boot);
    if (record) {
      records.push_back(*std::move(record));
    } else if (!torn) {
      return error(path.string() + ":" + std::to_string(number) + ": " + record.error() +
                   "; remove the line, or move the file away to begin anew");
    }
    errno = 0;
  }
  if (in.bad()) return cannot_read(path);
  return records;
}

bool is_torn(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in || in.tellg() <= 0) return false;
  in.seekg(-1, std::ios::end);
  return in.get() != '\n';
}

void replay(const Record& record, Engine& engine) {
  const json& line = record.line;
  if (line.contains("notice")) {
    engine.replay_notice(*notice_from(line["notice"]), record.at);
  } else if (line.contains("start")) {
    engine.replay_start(record.node, record.at);
  } else {
    engine.replay_end(record.node, outcome_of(line.value("outcome", "")), line.value("said", ""), record.at);
  }
}

bool matters(const Record& record, const Engine& engine, Time now) {
  if (record.line.contains("start") && now < record.at + 1h) return true;
  if (engine.evacuations().contains(record.node)) return true;
  return std::ranges::any_of(engine.conditions(),
                             [&](const auto& one) { return one.second.notice.node == record.node; });
}

std::string as_line(const json& record) { return record.dump(-1, ' ', false, json::error_handler_t::replace) + "\n"; }

}  // namespace

Result<Journal> Journal::open(const std::filesystem::path& path, Engine& engine, Time now, const std::string& boot) {
  const auto records = read_records(path, boot);
  if (!records) return error(records.error());
  if (is_torn(path))
    spdlog::warn("{}: the last line is incomplete, as cppc-health ended while it wrote it; it is left out",
                 path.string());
  for (const Record& record : *records) replay(record, engine);
  auto file = AppendFile::open(path);
  if (!file) return error(file.error());
  Journal journal(path, *std::move(file), boot);
  engine.go_on(now);
  if (const auto compacted = journal.compact(engine, now); !compacted) return error(compacted.error());
  return journal;
}

json Journal::notice(const Notice& notice) { return {{"notice", to_json(notice)}}; }
json Journal::start(const std::string& node) { return {{"start", node}}; }
json Journal::end(const std::string& node, Outcome outcome, const std::string& summary) {
  return {{"end", node}, {"outcome", name_of(outcome)}, {"said", summary}};
}

Result<void> Journal::write(const std::vector<json>& records, Time now) {
  for (json record : records) {
    record["boot"] = boot_;
    record["at"] = now.count();
    unwritten_ += as_line(record);
  }
  if (unwritten_.empty()) return {};
  if (auto appended = file_.append(unwritten_); !appended) return appended;
  written_ += unwritten_.size();
  unwritten_.clear();
  return {};
}

Result<void> Journal::compact(const Engine& engine, Time now) {
  const auto records = read_records(path_, boot_);
  if (!records) return error(records.error());
  std::string lines;
  for (const Record& record : *records)
    if (matters(record, engine, now)) lines += as_line(record.line);
  if (const auto replaced = replace_file(path_, lines); !replaced) return replaced;
  auto file = AppendFile::open(path_);
  if (!file) return error(file.error());
  file_ = *std::move(file);
  written_ = 0;
  return {};
}

}  // namespace cppc::health
