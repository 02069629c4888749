#include "node_side.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "../common/host_name.hpp"
#include "cloud.hpp"
#include "pollers.hpp"
#include "send.hpp"

namespace cppc::health {
namespace {

using tools::error;
using namespace std::chrono_literals;

constexpr migrate::Timeouts cloud_timeouts{2s, 130s};  // Azure's first answer may take two minutes

std::string own_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? tools::without_domain(name.data()) : "";
}

/// One cloud's metadata server.
class Cloud {
 public:
  Cloud(Source source, Server server, Send send, std::string node)
      : source_(std::move(source)), server_(std::move(server)), send_(std::move(send)), node_(std::move(node)) {}

  void poll() {
    const auto firing = look();
    log_change("the metadata server " + source_.base, firing ? "" : firing.error(), asking_);
    if (!firing) return;
    const std::vector<Notice> news = changes(*firing);
    if (news.empty()) return;
    for (const Notice& one : news)
      spdlog::info("{}: {}: {}", one.node, one.source, one.firing ? one.reason : "not any more");
    const auto sent = send_notices(send_, news);
    log_change("sending notices", sent ? "" : sent.error() + "; tried again", sending_);
    if (sent) reported_ = *firing;
  }

 private:
  Result<std::vector<Notice>> look() const {
    const AskCloud ask = [this](const migrate::HttpRequest& request) {
      return migrate::ask_by_tcp(server_.host, server_.port, request, cloud_timeouts);
    };
    const double now = static_cast<double>(std::time(nullptr));
    return source_.kind == "aws"   ? aws_notices(ask, node_, now)
           : source_.kind == "gcp" ? gcp_notices(ask, node_)
                                   : azure_notices(ask, node_, now);
  }

  std::vector<Notice> changes(const std::vector<Notice>& firing) const {
    const auto has = [](const std::vector<Notice>& notices, const Notice& one) {
      return std::ranges::any_of(
          notices, [&](const Notice& other) { return other.source == one.source && other.key == one.key; });
    };
    std::vector<Notice> news;
    for (const Notice& one : firing)
      if (!has(reported_, one)) news.push_back(one);
    for (Notice one : reported_) {
      if (has(firing, one)) continue;
      one.firing = false;
      news.push_back(one);
    }
    return news;
  }

  // Once when it goes wrong, and once when it is well again.
  static void log_change(const std::string& what, const std::string& failure, bool& well) {
    if (failure.empty() != well)
      failure.empty() ? spdlog::info("{}: works again", what) : spdlog::warn("{}: {}", what, failure);
    well = failure.empty();
  }

  const Source source_;
  const Server server_;
  const Send send_;
  const std::string node_;
  std::vector<Notice> reported_;
  bool asking_ = true, sending_ = true;  // and that works
};

}  // namespace

Result<std::unique_ptr<NodeSide>> NodeSide::start(const Configuration& configuration) {
  const Send& send = *configuration.send;
  const std::string node = send.node.empty() ? own_name() : send.node;
  if (!is_node_name(node)) return error("this machine's name is no name of a node: write node = \"...\" into [send]");
  std::unique_ptr<NodeSide> side(new NodeSide);
  for (const Source& source : configuration.sources) {
    if (source.base.empty()) continue;
    auto server = parse_server(source.base);
    if (!server) return error(server.error());
    side->threads_.emplace_back(
        [source, cloud = std::make_shared<Cloud>(source, *std::move(server), send, node)](const std::stop_token& stop) {
          repeat(source.every, stop, [&] { cloud->poll(); });
        });
  }
  if (side->threads_.empty()) return error("the configuration has no [[source]] of kind \"aws\", \"gcp\" or \"azure\"");
  return side;
}

}  // namespace cppc::health
