#include "fake_agents.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "cppc/agent_key.hpp"

namespace cppc::test {
namespace {

// Any address will do, all of them are this machine's.
int connect_to(const std::string& addresses) {
  return Socket::connect_tcp(static_cast<std::uint16_t>(std::stoi(addresses.substr(addresses.rfind(':') + 1))))
      .release();
}

}  // namespace

FakeAgent::FakeAgent(const std::string& addresses, const std::string& key, int agent, int agents, int job_size)
    : agent_(agent), fd_(connect_to(addresses)), thread_([this] { listen(); }) {
  send(wire::Hello{agent_key(key, agent), agent, agents, "node" + std::to_string(agent), 1000 + agent, job_size});
}

FakeAgent::~FakeAgent() {
  leave();
  thread_.join();
  close(fd_);
}

void FakeAgent::leave() { shutdown(fd_, SHUT_RDWR); }

void FakeAgent::send(const wire::Message& message) {
  if (const auto* roster = std::get_if<wire::Roster>(&message)) {
    const std::lock_guard lock(mutex_);
    roster_ = *roster;
  }
  send_raw(wire::encode(message));
}

void FakeAgent::send_raw(const std::string& text) { ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL); }

std::optional<wire::Message> FakeAgent::next() {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, std::chrono::minutes(1), [this] { return closed_ || !inbox_.empty(); })) {
    throw std::runtime_error("agent " + std::to_string(agent_) + " was told nothing for a minute");
  }
  if (inbox_.empty()) return std::nullopt;
  wire::Message message = std::move(inbox_.front());
  inbox_.pop_front();
  return message;
}

void FakeAgent::listen() {
  std::string input;
  char buffer[4096];
  for (ssize_t got = 0; (got = recv(fd_, buffer, sizeof buffer, 0)) > 0;) {
    input.append(buffer, static_cast<std::size_t>(got));
    for (auto end = input.find('\n'); end != std::string::npos; end = input.find('\n')) {
      const auto message = wire::decode(input.substr(0, end)).value();
      input.erase(0, end + 1);
      const std::lock_guard lock(mutex_);
      if (std::holds_alternative<wire::Survey>(message)) {
        send_raw(wire::encode(roster_));
      } else {
        inbox_.push_back(message);
        changed_.notify_all();
      }
    }
  }
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

FakeAgents::FakeAgents(const std::string& addresses, const std::string& key,
                       std::vector<std::vector<int>> ranks_by_agent)
    : ranks_(std::move(ranks_by_agent)) {
  std::size_t job_size = 0;
  for (const auto& ranks : ranks_) job_size += ranks.size();
  const int count = static_cast<int>(ranks_.size());
  for (int agent = 0; agent < count; ++agent) {
    agents_.push_back(std::make_unique<FakeAgent>(addresses, key, agent, count, static_cast<int>(job_size)));
    agents_.back()->send(roster(agent));
  }
}

wire::Roster FakeAgents::roster(int agent, bool finished) const {
  wire::Roster roster{agent, {}, 2, 8'000'000'000};
  for (const int rank : ranks_[agent]) roster.ranks.push_back({rank, 2000 + rank, 64'000'000, finished});
  return roster;
}

wire::Order FakeAgents::order() {
  wire::Order order;
  for (const auto& agent : agents_) {
    const auto message = agent->next();
    if (message) order = std::get<wire::Order>(*message);  // an agent that has retired is told nothing
  }
  return order;
}

void FakeAgents::obey(const wire::Order& order) {
  for (const wire::Move& move : order.moves) {
    for (auto& ranks : ranks_) std::erase(ranks, move.rank);
    ranks_[move.to].push_back(move.rank);
  }
  for (int agent = 0; agent < static_cast<int>(agents_.size()); ++agent)
    agents_[agent]->send(wire::Ready{order.id, agent});
  for (const auto& agent : agents_)
    if (const auto word = agent->next()) static_cast<void>(std::get<wire::Commit>(*word));
  for (const int agent : order.retire) agents_[agent]->leave();
  int leader = 0;
  for (int agent = static_cast<int>(agents_.size()) - 1; agent >= 0; --agent) {
    if (std::count(order.retire.begin(), order.retire.end(), agent) != 0) continue;
    agents_[agent]->send(roster(agent));
    leader = agent;
  }
  wire::Progress progress{order.id, "ship", 32'000'000, 64'000'000, leader, {}};
  if (!order.moves.empty()) progress.ranks = {{order.moves.front().rank, 32'000'000, 64'000'000}};
  agents_[leader]->send(progress);
  agents_[leader]->send(wire::Outcome{order.id, CPPC_OK, "", 12, 34, 56, 7, 64'000'000, {8, 9}});
}

void FakeAgents::finish() {
  for (int agent = 0; agent < static_cast<int>(agents_.size()); ++agent) agents_[agent]->send(roster(agent, true));
  for (const auto& agent : agents_) {
    if (const auto message = agent->next()) std::get<wire::Quit>(*message);
    agent->leave();
  }
}

}  // namespace cppc::test
