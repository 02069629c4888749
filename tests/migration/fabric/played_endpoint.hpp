/// An Endpoint::Impl without libfabric, whose other end a test plays: linked in place of endpoint.cpp. For what depends
/// on the order of events, which two processes would meet by chance only. One endpoint at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "fabric/control.hpp"
#include "fabric/endpoint.hpp"

namespace cppc::fabric::played {

inline constexpr Token token{std::byte{9}};

struct OtherEnd {
  /// A message was sent to it. It answers by send().
  std::function<void(const Control&)> heard = [](const Control&) {};

  /// Memory is being registered; there it may take its time.
  std::function<void(std::span<const std::byte>)> registered = [](std::span<const std::byte>) {};

  /// Operations that move the image complete after so many polls.
  int polls_of_a_transfer = 0;

  /// Of these, under way now.
  [[nodiscard]] std::size_t moving() const { return transfers.size(); }

  void send(Control message);

  struct Transfer {
    Operation* operation;
    std::size_t bytes;
    int polls;
  };
  struct Receive {
    Operation* operation;
    std::span<std::byte> into;
  };
  std::deque<Control> said;
  std::deque<Receive> receives;
  std::deque<Transfer> transfers;
};

/// New for every endpoint.
OtherEnd& other_end();

std::unique_ptr<Endpoint::Impl> make_endpoint(bool rma);

}  // namespace cppc::fabric::played
