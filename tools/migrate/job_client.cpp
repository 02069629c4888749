#include "job_client.hpp"

#include <httplib.h>

#include <algorithm>
#include <cmath>

#include "../common/job_directory.hpp"
#include "../common/unique_fd.hpp"

namespace cppc::migrate {
namespace {

using nlohmann::json;

// The other end is on this machine; only a very busy one takes that long.
constexpr int patience_s = 60;
// A request that must not be made twice: the connection says so if cppc-run dies, so there is no harm in waiting.
constexpr double patience_with_requests_s = 3600;

httplib::Client connect(const std::filesystem::path& socket, int patience = patience_s) {
  httplib::Client client(socket.string());
  client.set_address_family(AF_UNIX);
  client.set_default_headers({{"Host", "localhost"}});
  client.set_read_timeout(patience);
  return client;
}

Answer understand(const httplib::Result& result) {
  if (!result) return {};
  return {result->status, json::parse(result->body, nullptr, /*allow_exceptions=*/false)};
}

// cppc-run that was killed cannot remove its sockets; one that has ended did.
bool nobody_listens(const std::filesystem::path& path) {
  const auto address = tools::socket_address(path);
  if (!address) return false;
  // Not blocking: cppc-run that is stopped and has a full queue of connections listens, too.
  const tools::UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0 &&
         (errno == ECONNREFUSED || errno == ENOENT);
}

void remove_sockets(const std::filesystem::path& directory, const std::string& job) {
  std::error_code ignored;  // somebody else has removed them
  std::filesystem::remove(tools::api_socket(directory, job), ignored);
  std::filesystem::remove(tools::launch_socket(directory, job), ignored);
}

std::string migration_path(std::uint64_t id) { return "/v1/migrations/" + std::to_string(id); }

}  // namespace

std::string Answer::error() const { return text(body, "error"); }

bool JobClient::gone() const { return nobody_listens(socket_); }

// Twice: after a pause of the machine the time for an answer may be over before cppc-run had any.
Answer JobClient::get(const std::string& path) const {
  Answer answer = understand(connect(socket_).Get(path));
  return answer.status != 0 || gone() ? answer : understand(connect(socket_).Get(path));
}

Answer JobClient::job() const { return get("/v1/job"); }

Answer JobClient::post_migration(const json& request) const {
  const double patience = std::min(request.value("timeout_s", patience_with_requests_s), patience_with_requests_s);
  return understand(connect(socket_, static_cast<int>(std::ceil(patience)))
                        .Post("/v1/migrations", request.dump(), "application/json"));
}

Answer JobClient::migration(std::uint64_t id) const { return get(migration_path(id)); }

Answer JobClient::cancel(std::uint64_t id) const { return understand(connect(socket_).Delete(migration_path(id))); }

Result<std::vector<RunningJob>> running_jobs() {
  const auto directory = tools::job_directory();
  if (!directory) return tools::error(directory.error());
  std::vector<RunningJob> jobs;
  for (const std::string& id : tools::jobs_in(*directory)) {
    const auto socket = tools::api_socket(*directory, id);
    JobClient client(socket);
    Answer answer = client.job();
    if (answer.status == 200) {
      jobs.push_back({id, client, std::move(answer.body)});
    } else if (client.gone()) {
      remove_sockets(*directory, id);
    }
  }
  return jobs;
}

std::string text(const json& object, const char* field) {
  const bool there = object.is_object() && object.contains(field) && object[field].is_string();
  return there ? object[field].get<std::string>() : "";
}

double number(const json& object, const char* field) {
  const bool there = object.is_object() && object.contains(field) && object[field].is_number();
  return there ? object[field].get<double>() : 0;
}

std::uint64_t whole_number(const json& object, const char* field) {
  const bool there = object.is_object() && object.contains(field) && object[field].is_number_unsigned();
  return there ? object[field].get<std::uint64_t>() : 0;
}

const json& list(const json& object, const char* field) {
  static const json none = json::array();
  const bool there = object.is_object() && object.contains(field) && object[field].is_array();
  return there ? object[field] : none;
}

}  // namespace cppc::migrate
