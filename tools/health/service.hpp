/// What cppc-health serves:
///
///   POST /v1/notices       a notice, or a list of them (notice.hpp): 200 {"taken":N}
///   POST /v1/alertmanager  what Alertmanager posts to a webhook, version 4: likewise
///   GET  /v1/state         nodes, notices, sources and brakes
///   GET  /v1/events        what happens, as server-sent events; to be resumed with Last-Event-ID
///   GET  /v1/jobs          the jobs whose cppc-run is on this machine (jobs.hpp)
///   POST /v1/jobs/JOB/migrations, DELETE .../migrations/ID, GET .../migrations/ID/trace
///                          are passed on to the job (tools/run/api.hpp), and written into the audit log
///   GET  /metrics          for Prometheus
///
/// All with "Authorization: Bearer TOKEN", or from a browser that has logged in (browser_access.hpp). Errors are
/// {"error":"..."}: 400 malformed, 401 another token, 404 no such thing, 413 too long, 503 too many watch, the job
/// does not answer, or a notice is acted on but could not be written to the disk. A notice for a node that is not known
/// is counted and answered with 200.
#pragma once

#include "daemon.hpp"
#include "http_server.hpp"

namespace cppc::health {

/// `context` has to run, and `daemon` to live, until the server has been destroyed; daemon.events() has to be closed
/// before.
struct Service {
  std::unique_ptr<tools::HttpServer> server;
  std::uint16_t port = 0;
};
Result<Service> serve(boost::asio::io_context& context, Daemon& daemon, const Listen& listen);

}  // namespace cppc::health
