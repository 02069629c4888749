#include "agent_comm.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "cppc/tree.hpp"

namespace cppc::migration {

using namespace std::chrono_literals;

AgentComm::AgentComm(Agents agents, int tag, Callback meanwhile, Relay relay)
    : agents_(std::move(agents)), tag_(tag), meanwhile_(std::move(meanwhile)), relay_(std::move(relay)) {}

AgentComm::~AgentComm() {
  forget_sent();
  for (auto& transfer : sent_) (void)transfer.release();  // MPI may still read it
}

void AgentComm::fail(std::string what) {
  broken_ = true;
  if (error_.empty()) error_ = std::move(what);
}

bool AgentComm::check(int code, const char* call) {
  if (code == MPI_SUCCESS) return true;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  if (PMPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) length = 0;
  fail(fmt::format("{} has failed among the agents: {}", call,
                   std::string_view(text.data(), static_cast<std::size_t>(length))));
  spdlog::error("{}", error_);
  return false;
}

bool AgentComm::complete(Transfer& transfer) {
  int done = 0;
  return check(PMPI_Test(&transfer.request, &done, MPI_STATUS_IGNORE), "MPI_Test") && done != 0;
}

/// The node's processors belong to its ranks: who waits sleeps, shortly at first. A yield would keep a core from
/// sleeping, and where there are more processes than cores, who sleeps gets its turn sooner.
void AgentComm::pause(int& looks) const {
  meanwhile_();
  std::this_thread::sleep_for(++looks < 20 ? 20us : 100us);
}

bool AgentComm::allreduce(Bytes& value, const Combine& combine, const Callback& meanwhile) {
  const negotiation::TreePlace place(rank(), size());
  for (const int child : place.children()) {
    const auto more = receive(child, tag_, meanwhile);
    if (!more) return false;
    combine(value, *more);
  }
  if (place.parent() >= 0) {
    if (!send(place.parent(), tag_, value)) return false;
    auto all = receive(place.parent(), tag_, meanwhile);
    if (!all) return false;
    value = *std::move(all);
  }
  for (const int child : place.children())
    if (!send(child, tag_, value)) return false;
  return flush();
}

bool AgentComm::barrier(const Callback& meanwhile) {
  Bytes nothing;
  return allreduce(
      nothing, [](Bytes&, const Bytes&) {}, meanwhile);
}

void AgentComm::forget_sent() {
  std::erase_if(sent_, [this](const auto& transfer) { return !broken_ && complete(*transfer); });
}

/// The caller may be away from MPI for long, which sends nothing meanwhile.
bool AgentComm::flush() {
  for (int looks = 0; !broken_; pause(looks)) {
    forget_sent();
    if (sent_.empty()) return true;
  }
  return false;
}

bool AgentComm::by_mpi(int other) const {
  const auto has_mpi = [this](int agent) { return agents_.ranks[static_cast<std::size_t>(agent)] >= 0; };
  return has_mpi(other) && has_mpi(rank());
}

bool AgentComm::send(int to, int tag, std::span<const std::byte> bytes) {
  forget_sent();
  if (broken_) return false;
  if (!by_mpi(to)) {
    if (!relay_(to, tag, bytes)) fail("an agent without MPI cannot be told");
    return !broken_;
  }
  auto transfer = std::make_unique<Transfer>();
  transfer->bytes.assign(bytes.begin(), bytes.end());
  if (!check(PMPI_Isend(transfer->bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE,
                        agents_.ranks[static_cast<std::size_t>(to)], tag, agents_.comm, &transfer->request),
             "MPI_Isend"))
    return false;
  sent_.push_back(std::move(transfer));
  return true;
}

std::optional<AgentComm::Bytes> AgentComm::poll(int from, int tag) {
  return by_mpi(from) ? poll_mpi(from, tag) : take_delivered(from, tag);
}

std::optional<AgentComm::Bytes> AgentComm::take_delivered(int from, int tag) {
  const auto found =
      std::ranges::find_if(delivered_, [&](const Delivered& one) { return one.from == from && one.tag == tag; });
  if (broken_ || found == delivered_.end()) return std::nullopt;
  Bytes bytes = std::move(found->bytes);
  delivered_.erase(found);
  return bytes;
}

std::optional<AgentComm::Bytes> AgentComm::poll_mpi(int from, int tag) {
  const int source = agents_.ranks[static_cast<std::size_t>(from)];
  int there = 0;
  int size = 0;
  MPI_Status status;
  forget_sent();
  if (broken_ || !check(PMPI_Iprobe(source, tag, agents_.comm, &there, &status), "MPI_Iprobe") || there == 0 ||
      !check(PMPI_Get_count(&status, MPI_BYTE, &size), "MPI_Get_count"))
    return std::nullopt;
  auto transfer = std::make_unique<Transfer>();
  transfer->bytes.resize(static_cast<std::size_t>(size));
  if (!check(PMPI_Irecv(transfer->bytes.data(), size, MPI_BYTE, source, tag, agents_.comm, &transfer->request),
             "MPI_Irecv"))
    return std::nullopt;
  for (int looks = 0; !complete(*transfer);) {
    if (!broken_) pause(looks);
    if (!broken_) continue;
    (void)transfer.release();  // MPI may still write to it
    return std::nullopt;
  }
  return std::move(transfer->bytes);
}

std::optional<AgentComm::Bytes> AgentComm::receive(int from, int tag, const Callback& meanwhile) {
  for (int looks = 0; !broken_; pause(looks)) {
    if (auto message = poll(from, tag)) return message;
    if (meanwhile) meanwhile();
  }
  return std::nullopt;
}

}  // namespace cppc::migration
