#include "relay.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "io_thread.hpp"

namespace cppc::run {
namespace {

using boost::system::error_code;
using namespace std::chrono_literals;

// To one port comes one daemon. Others may be strangers, which do not keep it out.
constexpr std::size_t most_links = 8;

// The daemon of an evacuated node may be there still, and obey an order to exit.
constexpr std::chrono::seconds daemons_timeout{1};

constexpr int checks_per_silence = 25;

void close(Socket& socket) {
  error_code ignored;
  socket.close(ignored);
}

}  // namespace

Relay::Relay(asio::io_context& context, std::chrono::milliseconds silence, Spare spare)
    : context_(context), silence_(silence), spare_(std::move(spare)) {
  post(context_, [this, alive = alive_] {
    if (*alive) drop_silent();
  });
}

Relay::~Relay() {
  *alive_ = false;
  while (!links_.empty()) remove(LinkPointer(links_.front()));
}

void Relay::complete(const std::string& node) {
  const auto port = ports_.find(node);
  if (port == ports_.end()) return;
  port->second.acceptor.reset();
  for (const LinkPointer& link : std::vector(links_)) {
    if (link->port == &port->second && !link->has_received) remove(link);
  }
}

Result<std::uint16_t> Relay::open(const std::string& node, const Endpoint& mpirun) {
  if (ports_.contains(node)) return tools::error("the daemon of " + node + " has been started already");
  const auto endpoint = numeric_endpoint(mpirun);
  if (!endpoint) return tools::error(endpoint.error());
  auto listener = listen_on_tcp(context_, Reach::network);
  if (!listener) return tools::error(std::move(listener).error());
  Port& port = ports_[node];
  port = {node, *endpoint, nullptr, listener->port, false, {}, {}};
  port.acceptor = std::make_unique<Acceptor>(std::move(listener->socket), "daemons'",
                                             [this, &port](Socket daemon) { accept(port, std::move(daemon)); });
  return port.number;
}

void Relay::evacuated(const std::string& node) {
  if (const auto port = ports_.find(node); port != ports_.end()) port->second.given_up = true;
}

bool Relay::is_given_up(const std::string& node) const {
  const auto port = ports_.find(node);
  return port != ports_.end() && port->second.given_up;
}

void Relay::when_received(const std::string& node, Callback function) {
  if (connected(node)) {
    ports_.at(node).when_received.push_back(std::move(function));
  } else {
    post(context_, std::move(function));
  }
}

void Relay::when_gone(const std::string& node, Callback function) {
  if (connected(node)) {
    ports_.at(node).when_gone.push_back(std::move(function));
  } else {
    post(context_, std::move(function));
  }
}

bool Relay::connected(const std::string& node) const {
  return std::any_of(links_.begin(), links_.end(),
                     [&](const LinkPointer& link) { return link->port->node == node && link->daemon.open; });
}

void Relay::withhold(bool withholds) {
  withholds_ = withholds;
  if (withholds) return;
  for (const LinkPointer& link : std::vector(links_)) {
    if (std::exchange(link->mpirun.waits, false)) pass_on(link, link->daemon, link->mpirun);
    if (std::exchange(link->daemon.waits, false)) pass_on(link, link->mpirun, link->daemon);
  }
}

void Relay::part() {
  while (!links_.empty()) remove(LinkPointer(links_.front()));
}

void Relay::over(bool orderly) {
  over_ = true;
  if (!orderly) release_given_up();
}

void Relay::accept(Port& port, Socket daemon) {
  if (!make_room(port)) return;
  auto mpirun = open_socket(context_, port.mpirun.protocol());
  if (!mpirun) {
    spdlog::error("the daemon of {} cannot be led to mpirun: {}", port.node, mpirun.error());
    return;
  }
  tune_tcp(daemon, std::chrono::ceil<std::chrono::seconds>(silence_));
  tune_tcp(*mpirun);
  spdlog::info("{}: its daemon is connected", port.node);
  links_.push_back(std::make_shared<Link>(port, std::move(daemon), *std::move(mpirun)));
  connect(links_.back());
}

// Whether one more may come: the oldest one that has not said anything makes way.
bool Relay::make_room(const Port& port) {
  const auto at_port = [&](const LinkPointer& link) { return link->port == &port; };
  if (static_cast<std::size_t>(std::count_if(links_.begin(), links_.end(), at_port)) < most_links) return true;
  const auto silent = std::find_if(links_.begin(), links_.end(),
                                   [&](const LinkPointer& link) { return at_port(link) && !link->has_received; });
  if (silent == links_.end()) return false;
  remove(LinkPointer(*silent));
  return true;
}

void Relay::connect(const LinkPointer& link) {
  link->mpirun.socket.async_connect(link->port->mpirun, [this, link](error_code failure) {
    if (link->removed) return;
    if (failure) {
      link->mpirun.open = false;
      return settle(link);
    }
    link->connected = true;
    receive(link, link->mpirun, link->daemon);
    if (link->mpirun.busy) pass_on(link, link->daemon, link->mpirun);
  });
  receive(link, link->daemon, link->mpirun);
}

// Nothing more is received before the other side has taken what has been: a slow one makes the other wait.
void Relay::receive(const LinkPointer& link, Side& from, Side& to) {
  from.socket.async_read_some(asio::buffer(from.received),
                              [this, link, &from, &to](error_code failure, std::size_t bytes) {
                                from.bytes = bytes;
                                if (!link->removed) received(link, from, to, failure);
                              });
}

void Relay::end(Side& side, error_code failure) {
  side.open = false;
  side.broken = failure != asio::error::eof;
  side.silent = failure == asio::error::timed_out || failure == asio::error::host_unreachable ||
                failure == asio::error::network_unreachable;
}

void Relay::received(const LinkPointer& link, Side& from, Side& to, error_code failure) {
  if (failure) {
    end(from, failure);
    return settle(link);
  }
  if (&from == &link->daemon) link->has_received = true, call(link->port->when_received);
  if (&from == &link->mpirun && over_ && link->port->given_up) {  // the order to exit
    after(context_, daemons_timeout, [this, alive = alive_] {
      if (*alive) release_given_up();
    });
  }
  if (!to.open) return receive(link, from, to);
  to.busy = true;
  to.waits = link->connected && withholds_;
  if (link->connected && !withholds_) pass_on(link, from, to);
}

void Relay::pass_on(const LinkPointer& link, Side& from, Side& to) {
  asio::async_write(to.socket, asio::buffer(from.received, from.bytes),
                    [this, link, &from, &to](error_code failure, std::size_t) {
                      if (link->removed) return;
                      to.busy = false;
                      if (failure && to.open) end(to, failure);
                      settle(link);
                      if (!link->removed && from.open) receive(link, from, to);
                    });
}

void Relay::drop_silent() {
  for (const LinkPointer& link : std::vector(links_)) {
    if (link->removed || !link->daemon.open || unanswered_for(link->daemon.socket).value_or(0ms) < silence_) continue;
    end(link->daemon, asio::error::timed_out);
    settle(link);
  }
  after(context_, silence_ / checks_per_silence, [this, alive = alive_] {
    if (*alive) drop_silent();
  });
}

// Decides what becomes of a link whose sides may have been closed; what one side has said reaches the other first.
void Relay::settle(const LinkPointer& link) {
  if (!link->daemon.open && link->daemon.socket.is_open()) {
    Port& port = *link->port;
    port.given_up =
        port.given_up || (link->daemon.broken && link->has_received && spare_(port.node, link->daemon.silent));
    spdlog::info("{}: its daemon is gone{}", port.node, port.given_up ? ", as it may" : "");
    close(link->daemon.socket);
    call(port.when_received);
    if (!connected(port.node)) call(port.when_gone);
  }
  if (!link->mpirun.open) close(link->mpirun.socket);
  const bool done = link->mpirun.open ? !link->daemon.open && !link->port->given_up && !link->mpirun.busy
                                      : !link->daemon.open || !link->daemon.busy;
  if (!done) return;
  remove(link);
  const bool others_are_gone =
      std::all_of(links_.begin(), links_.end(), [](const LinkPointer& other) { return other->port->given_up; });
  if (others_are_gone)
    release_given_up();  // those that mpirun had are gone: it is ending its job, one way or the other
}

// mpirun is ending its daemons, so it takes the loss of one as its end.
void Relay::release_given_up() {
  for (const LinkPointer& link : std::vector(links_)) {
    if (link->port->given_up && !link->removed) remove(link);
  }
}

void Relay::call(std::vector<Callback>& functions) {
  for (Callback& function : functions) post(context_, std::move(function));
  functions.clear();
}

void Relay::remove(const LinkPointer& link) {
  link->removed = true;
  close(link->daemon.socket);
  close(link->mpirun.socket);
  std::erase(links_, link);
  Port& port = *link->port;
  call(port.when_received);
  if (!connected(port.node)) call(port.when_gone);
}

}  // namespace cppc::run
