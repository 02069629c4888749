/// The interface's JSON (see api.hpp).
#pragma once

#include <nlohmann/json.hpp>

#include "job.hpp"
#include "relocation_request.hpp"

namespace cppc::run {

struct MigrationRequest {
  plan::Request request;
  bool dry_run = false;
  double timeout_s = 60;
  bool keep_node = false;
  std::string why;                        ///< in the words of whoever asks
  std::optional<std::string> checkpoint;  ///< instead of a migration: the directory; empty: as cppc-run was told
  std::optional<NodesRequest> nodes;      ///< or: nodes are to come
};

/// An error says what is wrong with the text.
Result<MigrationRequest> parse_request(const std::string& text);

nlohmann::json to_json(const Job& job);
nlohmann::json nodes_to_json(const Job::View& view);
nlohmann::json to_json(const Migration& migration);
/// The same without the downtimes of all ranks.
nlohmann::json summary(const Migration& migration);
nlohmann::json to_json(const std::vector<NamedMove>& moves);
const char* text(Job::State state);
/// "2026-11-22T19:47:10.893Z"
std::string time_text(std::chrono::system_clock::time_point time);

}  // namespace cppc::run
