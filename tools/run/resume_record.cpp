#include "resume_record.hpp"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "cppc/unique_fd.hpp"

namespace cppc::run {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using tools::error;

constexpr const char* suffix = ".resume";

fs::path file_of(const fs::path& directory, const std::string& job) { return directory / (job + suffix); }

std::string names_of_all(const fs::path& directory) {
  std::string names;
  std::error_code ignored;  // a directory that goes away has none
  for (const auto& entry : fs::directory_iterator(directory, ignored))
    if (entry.path().extension() == suffix) names += (names.empty() ? "" : ", ") + entry.path().stem().string();
  return names;
}

json to_json(const ResumeRecord& record) {
  json nodes = json::array();
  for (const AllocatedNode& node : record.nodes) {
    nodes.push_back({{"name", node.name}});
    if (node.slots) nodes.back()["slots"] = *node.slots;
  }
  return {{"job", record.job},
          {"key", record.key},
          {"directory", record.directory},
          {"arguments", record.arguments},
          {"nodes", std::move(nodes)}};
}

ResumeRecord from_json(const json& text) {
  ResumeRecord record{text.at("job"), text.at("key"), text.at("directory"), text.at("arguments"), {}};
  for (const json& node : text.at("nodes")) {
    AllocatedNode one{node.at("name"), std::nullopt};
    if (node.contains("slots")) one.slots = node.at("slots").get<int>();
    record.nodes.push_back(std::move(one));
  }
  return record;
}

// Whole or not at all, and nobody else's to read: it has a key.
Result<void> write_file(const fs::path& file, const std::string& text) {
  const std::string draft = file.string() + ".new";
  const UniqueFd out(open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  const bool written = out && ::write(out.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (written && rename(draft.c_str(), file.c_str()) == 0) return {};
  return error(std::strerror(errno));
}

}  // namespace

Result<ResumeRecord> read_resume_record(const fs::path& directory, const std::string& job) {
  std::ifstream in(file_of(directory, job));
  if (!in) {
    const std::string names = names_of_all(directory);
    return error("no job " + job + " of yours can be resumed: it has ended, or was not started on this machine with " +
                 "--protect partner or rs:K+M; " +
                 (names.empty() ? "there is none that can be" : "those are: " + names));
  }
  try {
    return from_json(json::parse(in));
  } catch (const json::exception& wrong) {
    return error(file_of(directory, job).string() + " is damaged: " + wrong.what());
  }
}

ResumeFile::ResumeFile(fs::path directory, ResumeRecord record)
    : directory_(std::move(directory)), record_(std::move(record)) {
  write(record_.nodes);
}

ResumeFile::~ResumeFile() {
  if (kept_) return;
  std::error_code ignored;  // somebody else may have removed it
  fs::remove(file_of(directory_, record_.job), ignored);
}

void ResumeFile::write(const std::vector<AllocatedNode>& nodes) {
  record_.nodes = nodes;
  const std::string text = to_json(record_).dump(1, ' ', false, json::error_handler_t::replace) + "\n";
  if (const auto written = write_file(file_of(directory_, record_.job), text); !written)
    spdlog::warn("the job could not be resumed (cppc-run --resume) if cppc-run were killed: {}: {}",
                 file_of(directory_, record_.job).string(), written.error());
}

}  // namespace cppc::run
