#include "fabric/session.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstring>
#include <thread>

namespace cppc::fabric {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t incoming_slots = 16;
constexpr std::size_t peer_slots = 16;
constexpr std::size_t stranger_slots = 4;
constexpr std::size_t most_refusals = 64;  // waiting to be sent; further ones are dropped

// Naps, and not yields: on a node with more processes than cores, one that yields gets its turn last, one that wakes up
// gets it soon. They are short enough for a socket's buffer not to run full or empty meanwhile; after a while without
// an event they are still short enough to be no delay, but cost next to nothing. While events come there is none.
constexpr auto awake_for = 200us;
constexpr auto short_nap = 20us;
constexpr auto short_naps_for = 100ms;
constexpr auto long_nap = 300us;

constexpr auto parting_time = 2s;

}  // namespace

Session::Session(Endpoint::Impl& endpoint, const TransferLimits& limits, const Token& token, std::string_view peer)
    : endpoint_(endpoint),
      limits_(limits),
      token_(token),
      peer_name_(peer),
      buffers_(incoming_slots + peer_slots + stranger_slots),
      incoming_(incoming_slots),
      to_peer_{.waiting = {}, .slots = std::vector<Slot>(peer_slots)},
      to_others_{.waiting = {}, .slots = std::vector<Slot>(stranger_slots)} {
  std::size_t buffer = 0;
  for (auto* slots : {&incoming_, &to_peer_.slots, &to_others_.slots}) {
    for (auto& slot : *slots) slot.buffer = buffer++;
  }
}

Session::~Session() {
  region_ = {};
  endpoint_.close();
}

tl::expected<void, cppc_status> Session::start() {
  last_poll_ = last_event_ = last_received_ = last_sent_ = Clock::now();
  auto region = endpoint_.register_memory(std::as_bytes(std::span(buffers_)), FI_SEND | FI_RECV);
  if (!region) return tl::unexpected(region.error());
  region_ = std::move(*region);
  return take_incoming();
}

std::span<std::byte> Session::buffer_of(const Slot& slot) {
  return std::as_writable_bytes(std::span(buffers_).subspan(slot.buffer, 1));
}

void Session::established() {
  established_ = true;
  last_received_ = Clock::now();
}

void Session::send(Control message) {
  message.token = token_;
  message.check = check_of(message);
  to_peer_.waiting.push_back({peer_, message});
  last_sent_ = Clock::now();
}

std::size_t Session::unsent() const {
  const auto busy = [](const Slot& slot) { return slot.operation.state == Operation::State::posted; };
  return to_peer_.waiting.size() + static_cast<std::size_t>(std::ranges::count_if(to_peer_.slots, busy));
}

void Session::refuse(const Control& hello) {
  if (hello.count > hello.address.size() || to_others_.waiting.size() >= most_refusals) return;
  const auto to = endpoint_.insert(std::span(hello.address).first(hello.count));
  if (!to) return;
  spdlog::warn("refused a fabric connection from {}: it has not shown this offer's token, or not as the first",
               endpoint_.text_of(*to));
  // With the token it came with, or it would not listen.
  Control refusal{.token = hello.token, .kind = Control::Kind::verdict, .status = CPPC_ERR_REFUSED};
  refusal.check = check_of(refusal);
  to_others_.waiting.push_back({*to, refusal});
}

std::optional<Control> Session::next_message() {
  if (received_.empty()) return std::nullopt;
  const Control message = received_.front();
  received_.pop_front();
  return message;
}

std::string Session::peer_text() const {
  const std::string name(peer_name_);
  return peer_ == FI_ADDR_UNSPEC ? name : name + " at " + endpoint_.text_of(peer_);
}

cppc_status Session::report(const Operation& operation, std::string_view what) {
  lost_ = true;
  spdlog::error("fabric provider {}: {}: lost the {}: {}", endpoint_.provider, what, peer_text(),
                fi_strerror(operation.error));
  return CPPC_ERR_FABRIC;
}

// ------------------------------------------------------------------------------------------------------------- turns

tl::expected<void, cppc_status> Session::poll(std::string_view purpose) {
  const auto now = Clock::now();
  return round(now, purpose).map([&] { rest(now); });
}

tl::expected<void, cppc_status> Session::keep_alive(std::string_view purpose) {
  const auto now = Clock::now();
  if (ended_ == CPPC_OK && now - last_poll_ > beat() / 4) {
    if (auto done = round(now, purpose); !done) ended_ = done.error();
  }
  if (ended_ != CPPC_OK) return tl::unexpected(ended_);
  return {};
}

tl::expected<void, cppc_status> Session::round(Clock::time_point now, std::string_view purpose) {
  // While this process did not run, or worked elsewhere, it could not have heard anybody.
  if (now - last_poll_ > beat()) last_received_ += now - last_poll_;
  last_poll_ = now;
  if (established_ && now - last_sent_ > beat()) send({.kind = Control::Kind::beat});
  return exchange().and_then([&] { return check_limits(now, purpose); });
}

tl::expected<void, cppc_status> Session::exchange() {
  return post(to_peer_)
      .and_then([&] { return post(to_others_); })
      .and_then([&] { return endpoint_.poll(); })
      .map([&](std::size_t events) {
        if (events > 0) last_event_ = Clock::now();
      })
      .and_then([&] { return settle(); })
      .and_then([&] { return take_incoming(); });
}

tl::expected<void, cppc_status> Session::check_limits(Clock::time_point now, std::string_view purpose) {
  if (limits_.cancelled && limits_.cancelled()) {
    spdlog::warn("fabric: {} was cancelled", purpose);
    return tl::unexpected(CPPC_ERR_CANCELLED);
  }
  if (now > limits_.deadline) {
    spdlog::error("fabric provider {}: {}: no answer from the {} by the deadline", endpoint_.provider, purpose,
                  peer_text());
    return tl::unexpected(CPPC_ERR_TIMEOUT);
  }
  if (established_ && now - last_received_ > limits_.silence) {
    lost_ = true;
    spdlog::error("fabric provider {}: {}: no sign of life from the {} for {} ms", endpoint_.provider, purpose,
                  peer_text(), limits_.silence.count());
    return tl::unexpected(CPPC_ERR_FABRIC);
  }
  return {};
}

void Session::rest(Clock::time_point poll_began) const {
  if (last_event_ >= poll_began) return;
  const auto quiet = poll_began - last_event_;
  if (quiet < awake_for) return;
  std::this_thread::sleep_for(quiet < short_naps_for ? short_nap : long_nap);
}

tl::expected<void, cppc_status> Session::post(SendQueue& box) {
  for (auto& slot : box.slots) {
    if (box.waiting.empty()) break;
    if (slot.operation.state == Operation::State::posted) continue;
    const auto& letter = box.waiting.front();
    std::memcpy(buffer_of(slot).data(), &letter.message, sizeof letter.message);
    const auto posted = endpoint_.send(slot.operation, buffer_of(slot), region_, letter.to);
    if (!posted && letter.to == peer_) return tl::unexpected(posted.error());
    if (posted && !*posted) break;
    box.waiting.pop_front();
  }
  return {};
}

tl::expected<void, cppc_status> Session::settle() {
  for (const auto& slot : to_peer_.slots) {
    if (slot.operation.state == Operation::State::failed) {
      return tl::unexpected(report(slot.operation, "sending a message"));
    }
  }
  return {};
}

tl::expected<void, cppc_status> Session::take_incoming() {
  for (auto& slot : incoming_) {
    auto& operation = slot.operation;
    if (operation.state == Operation::State::posted) continue;
    if (operation.state == Operation::State::failed && operation.error != FI_ETRUNC) {
      return tl::unexpected(report(operation, "receiving a message"));
    }
    if (operation.state == Operation::State::complete && operation.length == sizeof(Control)) {
      if (auto received = receive(buffers_[slot.buffer]); !received) return received;
    }
    operation.state = Operation::State::idle;
    const auto posted = endpoint_.receive(operation, buffer_of(slot), region_);
    if (!posted) return tl::unexpected(posted.error());
  }
  return {};
}

/// Nothing that strangers send does harm, damaged or not: the token comes first.
tl::expected<void, cppc_status> Session::receive(const Control& message) {
  using Kind = Control::Kind;
  if (message.magic != Control::magic_value) {
    spdlog::warn("ignored a fabric message that is not of this version of CPPC Live");
    return {};
  }
  const bool intact = message.check == check_of(message);
  if (message.token != token_) {
    if (intact && message.kind == Kind::hello)
      refuse(message);
    else
      spdlog::warn("ignored a fabric message that has not shown this offer's token");
    return {};
  }
  if (!intact) {
    spdlog::error("fabric provider {}: a message of the {} did not arrive as it was sent", endpoint_.provider,
                  peer_text());
    return tl::unexpected(CPPC_ERR_CHECKSUM);
  }
  last_received_ = Clock::now();
  if (message.kind == Kind::bye || message.kind == Kind::verdict) closed_ = true;
  if (message.kind != Kind::beat && message.kind != Kind::bye) received_.push_back(message);
  return {};
}

void Session::exchange_until(const std::function<bool()>& done) {
  if (!leaving_by_) leaving_by_ = Clock::now() + parting_time;
  for (auto now = Clock::now(); !done() && now < *leaving_by_ && exchange(); now = Clock::now()) rest(now);
}

void Session::drain(const std::function<bool()>& idle) {
  if (!lost_) exchange_until(idle);
}

void Session::close(cppc_status status) {
  if (!established_ || lost_ || closed_) return;
  send({.kind = Control::Kind::verdict, .status = static_cast<std::uint32_t>(status)});
  exchange_until([&] { return closed_; });
}

tl::expected<void, cppc_status> Session::cut() {
  lost_ = true;
  spdlog::error("fabric provider {}: the connection to the {} is cut on request", endpoint_.provider, peer_text());
  return tl::unexpected(CPPC_ERR_FABRIC);
}

void Session::acknowledge_close() {
  send({.kind = Control::Kind::bye});
  exchange_until([&] { return unsent() == 0; });
}

}  // namespace cppc::fabric
