/// Communication among the agents that carry out a migration, by MPI. A wait ends when the controller has the migration
/// given up, too: the agent that is waited for may be gone. After that, or after an error of MPI, it is broken: every
/// call fails at once, since nobody knows how far the others have come. Nobody waits inside MPI.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cppc::migration {

/// One thread at a time. What fails has been logged.
class AgentComm {
 public:
  using Callback = std::function<void()>;
  using Bytes = std::vector<std::byte>;
  /// Adds what another agent says to `sum`, in any order.
  using Combine = std::function<void(Bytes& sum, const Bytes& more)>;

  /// The agents, 0, 1, ..., this process among them. Others may be gone.
  struct Agents {
    MPI_Comm comm = MPI_COMM_NULL;  ///< returns errors (MPI_ERRORS_RETURN) and outlives this
    std::vector<int> ranks;         ///< of `comm`; -1: agents without MPI, that `relay` leads to
    int self = 0;
  };
  /// How agents tell each other if one of them is without MPI: false when that has failed. What such an agent says
  /// comes by deliver().
  using Relay = std::function<bool(int to, int tag, std::span<const std::byte> bytes)>;

  /// `tag` is that of agreements: another one than that of any AgentComm that was broken. `meanwhile` is called again
  /// and again in every wait; it may break_off() and deliver().
  AgentComm(Agents agents, int tag, Callback meanwhile, Relay relay = {});
  AgentComm(const AgentComm&) = delete;
  AgentComm& operator=(const AgentComm&) = delete;
  ~AgentComm();

  [[nodiscard]] int rank() const { return agents_.self; }
  [[nodiscard]] int size() const { return static_cast<int>(agents_.ranks.size()); }

  [[nodiscard]] bool broken() const { return broken_; }
  /// What MPI has said; empty when it has not failed.
  [[nodiscard]] const std::string& error() const { return error_; }
  /// The migration is given up.
  void break_off() { broken_ = true; }
  /// A call of MPI has failed, or an agent says what it cannot say, which has been logged.
  void fail(std::string what);

  /// Collective: `value` becomes the sum of all agents'. Along a tree: an agent receives one message from each
  /// neighbour. What has been sent so far has left then. False: broken.
  bool allreduce(Bytes& value, const Combine& combine, const Callback& meanwhile = {});
  template <class T, std::size_t N, class Operation>
  bool allreduce(std::array<T, N>& values, Operation operation);
  bool barrier(const Callback& meanwhile = {});

  /// Does not wait. False: broken.
  bool send(int to, int tag, std::span<const std::byte> bytes);
  /// A message that is there; none: there is none, or it is broken. May wait for the rest of a large one.
  std::optional<Bytes> poll(int from, int tag);
  /// What another agent has told this one by way of the controller.
  void deliver(int from, int tag, Bytes bytes) { delivered_.push_back({from, tag, std::move(bytes)}); }
  /// None: broken.
  std::optional<Bytes> receive(int from, int tag, const Callback& meanwhile = {});

 private:
  /// What MPI reads or writes until the request is complete.
  struct Transfer {
    MPI_Request request = MPI_REQUEST_NULL;
    Bytes bytes;
  };

  struct Delivered {
    int from = 0;
    int tag = 0;
    Bytes bytes;
  };

  [[nodiscard]] bool by_mpi(int other) const;
  std::optional<Bytes> take_delivered(int from, int tag);
  std::optional<Bytes> poll_mpi(int from, int tag);
  bool check(int code, const char* call);
  bool complete(Transfer& transfer);
  void pause(int& looks) const;
  void forget_sent();
  bool flush();

  Agents agents_;
  int tag_;
  Callback meanwhile_;
  Relay relay_;
  bool broken_ = false;
  std::string error_;
  std::list<std::unique_ptr<Transfer>> sent_;  ///< not complete when last looked at
  std::list<Delivered> delivered_;             ///< not received yet
};

template <class T, std::size_t N, class Operation>
bool AgentComm::allreduce(std::array<T, N>& values, Operation operation) {
  using Raw = std::array<std::byte, sizeof values>;
  const auto of = [](const Bytes& bytes) {
    Raw raw{};
    std::copy_n(bytes.begin(), std::min(bytes.size(), raw.size()), raw.begin());
    return std::bit_cast<std::array<T, N>>(raw);
  };
  const auto to = [](const std::array<T, N>& numbers) {
    const auto raw = std::bit_cast<Raw>(numbers);
    return Bytes(raw.begin(), raw.end());
  };
  Bytes all = to(values);
  const bool done = allreduce(all, [&](Bytes& sum, const Bytes& more) {
    auto numbers = of(sum);
    const auto others = of(more);
    for (std::size_t i = 0; i < N; ++i) numbers[i] = operation(numbers[i], others[i]);
    sum = to(numbers);
  });
  if (done) values = of(all);
  return done;
}

}  // namespace cppc::migration
