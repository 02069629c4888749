#include "relay.hpp"

#include <spdlog/spdlog.h>
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace cppc::run {
namespace {

// As much waits here for a slow side; then the other side has to wait.
constexpr std::size_t most_output = 1 << 20;

// To one port comes one daemon. Others may be strangers, which do not keep it out.
constexpr std::size_t most_links = 8;

// The daemon of an evacuated node may be there still, and obey an order to exit.
constexpr std::chrono::seconds patience_with_daemons{1};

}  // namespace

Relay::~Relay() {
  while (!links_.empty()) remove(links_.begin());
}

void Relay::complete(const std::string& node) {
  const auto port = ports_.find(node);
  if (port == ports_.end()) return;
  port->second.door.reset();
  for (auto link = links_.begin(); link != links_.end();) {
    const auto next = std::next(link);
    if (link->port == &port->second && !link->heard) remove(link);
    link = next;
  }
}

Result<std::uint16_t> Relay::open(const std::string& node, const Endpoint& mpirun) {
  if (ports_.contains(node)) return tools::error("the daemon of " + node + " has been started already");
  auto listener = listen_on_tcp(Reach::network);
  if (!listener) return tools::error(std::move(listener).error());
  Port& port = ports_[node];
  port = {node, mpirun, nullptr, listener->port, false, {}, {}};
  port.door = std::make_unique<Acceptor>(loop_, std::move(listener->socket), "daemons'",
                                         [this, &port](UniqueFd daemon) { accept(port, std::move(daemon)); });
  return port.number;
}

void Relay::evacuated(const std::string& node) {
  if (const auto port = ports_.find(node); port != ports_.end()) port->second.given_up = true;
}

bool Relay::is_given_up(const std::string& node) const {
  const auto port = ports_.find(node);
  return port != ports_.end() && port->second.given_up;
}

void Relay::when_heard(const std::string& node, EventLoop::Callback function) {
  if (connected(node)) {
    ports_.at(node).when_heard.push_back(std::move(function));
  } else {
    loop_.post(std::move(function));
  }
}

void Relay::when_gone(const std::string& node, EventLoop::Callback function) {
  if (connected(node)) {
    ports_.at(node).when_gone.push_back(std::move(function));
  } else {
    loop_.post(std::move(function));
  }
}

bool Relay::connected(const std::string& node) const {
  return std::any_of(links_.begin(), links_.end(),
                     [&](const Link& link) { return link.port->node == node && link.daemon.open; });
}

void Relay::over(bool orderly) {
  over_ = true;
  if (!orderly) release_given_up();
}

void Relay::accept(Port& port, UniqueFd daemon) {
  if (!make_room(port)) return;
  auto mpirun = start_connecting(port.mpirun);
  if (!mpirun) {
    spdlog::error("the daemon of {} cannot be led to mpirun: {}", port.node, mpirun.error());
    return;
  }
  tune_tcp(daemon.get());
  tune_tcp(mpirun->get());
  spdlog::info("{}: its daemon is connected", port.node);
  links_.push_back({&port, {std::move(daemon), {}, true}, {*std::move(mpirun), {}, true}, false});
  watch(std::prev(links_.end()), &Link::daemon, &Link::mpirun);
  watch(std::prev(links_.end()), &Link::mpirun, &Link::daemon);
}

// Whether one more may come: the oldest one that has not said anything makes way.
bool Relay::make_room(const Port& port) {
  const auto at_port = [&](const Link& link) { return link.port == &port; };
  if (static_cast<std::size_t>(std::count_if(links_.begin(), links_.end(), at_port)) < most_links) return true;
  const auto silent =
      std::find_if(links_.begin(), links_.end(), [&](const Link& link) { return at_port(link) && !link.heard; });
  if (silent == links_.end()) return false;
  remove(silent);
  return true;
}

void Relay::watch(LinkPosition link, Side Link::*from, Side Link::*to) {
  loop_.watch(((*link).*from).socket.get(), EPOLLIN,
              [this, link, from, to](std::uint32_t events) { on_events(link, from, to, events); });
}

void Relay::on_events(LinkPosition link, Side Link::*from, Side Link::*to, std::uint32_t events) {
  if ((events & EPOLLOUT) != 0) flush((*link).*from);
  if ((events & ~EPOLLOUT) != 0) receive(*link, (*link).*from, (*link).*to);
  settle(link);
}

void Relay::receive(Link& link, Side& from, Side& to) {
  std::array<char, 65536> buffer{};
  const ssize_t got = recv(from.socket.get(), buffer.data(), buffer.size(), 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) {
    from.open = false;
    from.broken = got < 0;
    return;
  }
  if (&from == &link.daemon) link.heard = true, tell(link.port->when_heard);
  if (&from == &link.mpirun && over_ && link.port->given_up) {  // the order to exit
    loop_.after(patience_with_daemons, [this] { release_given_up(); });
  }
  if (!to.open) return;
  to.output.append(buffer.data(), static_cast<std::size_t>(got));
  flush(to);
}

void Relay::flush(Side& side) {
  while (side.open && !side.output.empty()) {
    const ssize_t sent = send(side.socket.get(), side.output.data(), side.output.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EAGAIN || errno == ENOTCONN)) return;
    if (sent < 0) side.open = false, side.broken = true;
    if (sent > 0) side.output.erase(0, static_cast<std::size_t>(sent));
  }
}

void Relay::close(Side& side) {
  loop_.forget(side.socket.get());
  side.socket.reset();
  side.output.clear();
}

// Decides what becomes of a link whose sides may have been closed; what one side has said reaches the other first.
void Relay::settle(LinkPosition link) {
  if (!link->daemon.open && link->daemon.socket) {
    Port& port = *link->port;
    port.given_up = port.given_up || (link->daemon.broken && link->heard && spare_(port.node));
    spdlog::info("{}: its daemon is gone{}", port.node, port.given_up ? ", as it may" : "");
    close(link->daemon);
    tell(port.when_heard);
    if (!connected(port.node)) tell(port.when_gone);
  }
  if (!link->mpirun.open && link->mpirun.socket) close(link->mpirun);
  const bool done = link->mpirun.open ? !link->daemon.open && !link->port->given_up && link->mpirun.output.empty()
                                      : !link->daemon.open || link->daemon.output.empty();
  if (!done) return update_interest(*link);
  remove(link);
  const bool others_are_gone =
      std::all_of(links_.begin(), links_.end(), [](const Link& other) { return other.port->given_up; });
  if (over_ && others_are_gone) release_given_up();
}

// mpirun is ending its daemons, so it takes the loss of one as its end.
void Relay::release_given_up() {
  for (auto link = links_.begin(); link != links_.end();) {
    const auto next = std::next(link);
    if (link->port->given_up) remove(link);
    link = next;
  }
}

void Relay::update_interest(Link& link) {
  const auto interest = [](const Side& side, const Side& other) {
    const bool room = side.open && other.output.size() < most_output;
    return (room ? EPOLLIN : 0u) | (side.output.empty() ? 0u : EPOLLOUT);
  };
  loop_.change(link.daemon.socket.get(), interest(link.daemon, link.mpirun));
  loop_.change(link.mpirun.socket.get(), interest(link.mpirun, link.daemon));
}

void Relay::tell(std::vector<EventLoop::Callback>& functions) {
  for (EventLoop::Callback& function : functions) loop_.post(std::move(function));
  functions.clear();
}

void Relay::remove(LinkPosition link) {
  if (link->daemon.socket) close(link->daemon);
  if (link->mpirun.socket) close(link->mpirun);
  Port& port = *link->port;
  links_.erase(link);
  tell(port.when_heard);
  if (!connected(port.node)) tell(port.when_gone);
}

}  // namespace cppc::run
