/// The job's interface for operators: HTTP and JSON on a UNIX socket that only this user can open and, if the user
/// wants that, over the network (network_access.hpp).
///
///   GET    /v1/job            the job: {"job","program","pid","controller","allocation","state","ranks","nodes",
///                             "migrations"}
///   POST   /v1/migrations     {"ranks":[5],"to":["node2"]} or {"evacuate":"node1","to":["node2"]}, "to" then optional;
///                             without it "avoid":["node3"]; optional "dry_run":true and "timeout_s":60 (until the
///                             migration point is reached). 202 with the migration, or for a dry run 200 with its
///                             {"moves"}. {"add":["node7:2"]}, with "ranks" and "to" if some are to be there then, or
///                             {"restore":"node1"}, for all that have left it, gives the job nodes; "images":"/dir" is
///                             for the images on which it goes on there. {"checkpoint":"/dir"} makes a checkpoint there
///                             instead; "" is where cppc-run
///                             --checkpoint-to says. It is asked after as migrations are, and has its path in
///                             "checkpoint"
///   GET    /v1/migrations     {"migrations":[...]}: all so far, as below but for "downtime_ms"
///   GET    /v1/migrations/ID  {"id","state","moves","bytes_done","bytes_total","seconds","frozen_ms","response_ms",
///                             "evacuation_ms","rebuild_ms","downtime_ms","image_bytes","status","reason","messages"};
///                             "status" is of cppc/status.h, "downtime_ms" a list, by rank
///   GET    /v1/migrations/ID/trace  in Chrome's trace format
///   GET    /v1/events         server-sent events (job_events.hpp), until the job ends; to be resumed with
///   Last-Event-ID DELETE /v1/migrations/ID  cancels it, if there is still time: 202 with the migration
///
/// Errors are {"error":"..."}: 400 malformed, 401 somebody who may not ask, 404 no such thing, 409 refused by the plan,
/// 410 the job has ended, 503 it is still starting (dry runs only; other requests are queued), or too many watch; 413
/// too long. Over the network browsers are served as well (browser_access.hpp).
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "job.hpp"
#include "network_access.hpp"
#include "relocation_request.hpp"

namespace cppc::tools {
class EventLog;
class HttpServer;
}  // namespace cppc::tools

namespace cppc::run {

using namespace tools;

class Api {
 public:
  /// Serves `job` and `events`, which have to outlive it, at `socket` and over the network. `context` has to run until
  /// this has been destroyed, and `events` to be closed before. From any thread.
  static Result<std::unique_ptr<Api>> serve(asio::io_context& context, Job& job, EventLog& events,
                                            const std::filesystem::path& socket,
                                            const std::optional<NetworkAccess>& network, RequestRules rules = {});
  /// Answers what has been asked, and removes the socket. From another thread than that of the io_context.
  ~Api();
  Api(const Api&) = delete;
  Api& operator=(const Api&) = delete;

  /// Where the network reaches it; 0: not at all.
  std::uint16_t port() const { return port_; }
  /// The same for clients: "https://HOST:PORT"; an error when the certificate is for no host.
  const Result<std::string>& url() const { return url_; }

 private:
  explicit Api(std::filesystem::path socket);

  std::filesystem::path socket_;
  std::uint16_t port_ = 0;
  Result<std::string> url_ = tools::error("there is no access over the network");
  std::vector<std::unique_ptr<HttpServer>> servers_;
};

}  // namespace cppc::run
