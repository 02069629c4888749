/// Reference: the bare bytes over one TCP connection, from memory that is there into memory that is there. Both ends
/// poll, as libfabric does: asleep, they take a third longer where to wake up is dear, as on a virtual machine.
#pragma once

#include "connection.hpp"
#include "state.hpp"
#include "way.hpp"

namespace cppc::bench {

/// `data` carries nothing else and stays open, so that its window is as large as it gets.
class RawTcpSource : public Source {
 public:
  RawTcpSource(State& state, Connection& data) : state_(state), data_(data) {}
  Result<void> prepare(const std::string&) override { return {}; }
  Result<Moved> move() override {
    return data_.send(state_.memory(), Waiting::polling).map([&] { return Moved{.bytes = state_.memory().size()}; });
  }

 private:
  State& state_;
  Connection& data_;
};

class RawTcpTarget : public Target {
 public:
  RawTcpTarget(State& state, Connection& data) : state_(state), data_(data) {}
  Result<std::string> prepare() override { return ""; }
  Result<void> receive() override { return data_.receive(state_.memory(), Waiting::polling); }

 private:
  State& state_;
  Connection& data_;
};

}  // namespace cppc::bench
