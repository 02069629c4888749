#include "played_endpoint.hpp"

#include <cstring>
#include <utility>

namespace cppc::fabric {
namespace played {

OtherEnd& other_end() {
  static OtherEnd one;
  return one;
}

void OtherEnd::send(Control message) {
  message.token = token;
  message.check = check_of(message);
  said.push_back(message);
}

std::unique_ptr<Endpoint::Impl> make_endpoint(bool rma) {
  other_end() = {};
  Info info(fi_allocinfo());
  info->ep_attr->max_msg_size = std::size_t{1} << 30;
  info->domain_attr->mr_mode = FI_MR_VIRT_ADDR;
  return std::make_unique<Endpoint::Impl>(std::move(info), rma);
}

namespace {

tl::expected<bool, cppc_status> move(Operation& operation, std::span<const std::byte> bytes) {
  operation.state = Operation::State::posted;
  other_end().transfers.push_back({&operation, bytes.size(), other_end().polls_of_a_transfer});
  return true;
}

void complete(Operation& operation, std::size_t length) {
  operation.state = Operation::State::complete;
  operation.length = length;
}

std::size_t move_on(OtherEnd& end) {
  for (auto& transfer : end.transfers) --transfer.polls;
  std::size_t events = 0;
  for (; !end.transfers.empty() && end.transfers.front().polls < 0; end.transfers.pop_front(), ++events)
    complete(*end.transfers.front().operation, end.transfers.front().bytes);
  return events;
}

}  // namespace
}  // namespace played

// ------------------------------------------------------------------------------------------- in place of endpoint.cpp

void close_object(fid*) {}

Endpoint::Impl::Impl(Info chosen, bool use_rma)
    : info(std::move(chosen)), rma(use_rma), provider("played"), address(16), next_key_(0) {}

tl::expected<Region, cppc_status> Endpoint::Impl::register_memory(std::span<const std::byte> memory, std::uint64_t) {
  played::other_end().registered(memory);
  return Region();
}

tl::expected<fi_addr_t, cppc_status> Endpoint::Impl::insert(std::span<const std::byte>) { return 1; }

std::string Endpoint::Impl::text_of(fi_addr_t) const { return "the test"; }

tl::expected<bool, cppc_status> Endpoint::Impl::receive(Operation& operation, std::span<std::byte> into,
                                                        const Region&) {
  operation.state = Operation::State::posted;
  played::other_end().receives.push_back({&operation, into});
  return true;
}

tl::expected<bool, cppc_status> Endpoint::Impl::send(Operation& operation, std::span<const std::byte> bytes,
                                                     const Region&, fi_addr_t) {
  Control message;
  std::memcpy(&message, bytes.data(), sizeof message);
  played::complete(operation, bytes.size());
  played::other_end().heard(message);
  return true;
}

tl::expected<bool, cppc_status> Endpoint::Impl::receive_tagged(Operation& operation, std::span<std::byte> into,
                                                               const Region&, std::uint64_t) {
  return played::move(operation, into);
}

tl::expected<bool, cppc_status> Endpoint::Impl::send_tagged(Operation& operation, std::span<const std::byte> bytes,
                                                            const Region&, fi_addr_t, std::uint64_t) {
  return played::move(operation, bytes);
}

tl::expected<bool, cppc_status> Endpoint::Impl::write(Operation& operation, std::span<const std::byte> bytes,
                                                      const Region&, fi_addr_t, std::uint64_t, std::uint64_t) {
  return played::move(operation, bytes);
}

tl::expected<std::size_t, cppc_status> Endpoint::Impl::poll() {
  auto& end = played::other_end();
  std::size_t events = played::move_on(end);
  if (end.said.empty() || end.receives.empty()) return events;
  const auto [operation, into] = end.receives.front();
  end.receives.pop_front();
  std::memcpy(into.data(), &end.said.front(), sizeof(Control));
  end.said.pop_front();
  played::complete(*operation, sizeof(Control));
  return events + 1;
}

}  // namespace cppc::fabric
