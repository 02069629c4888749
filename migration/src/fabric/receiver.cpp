#include <spdlog/spdlog.h>
#include <xxhash.h>

#include <list>
#include <optional>
#include <utility>

#include "fabric/guard.hpp"
#include "fabric/random.hpp"
#include "fabric/session.hpp"

namespace cppc::fabric {
namespace {

using Kind = Control::Kind;
using Result = tl::expected<void, cppc_status>;

/// The target's side of one transfer.
class Reception {
 public:
  Reception(Endpoint::Impl& endpoint, const Offer& offer, std::span<std::byte> buffer, Region region,
            const Patience& patience, const Progress& progress)
      : endpoint_(endpoint),
        offer_(offer),
        buffer_(buffer),
        progress_(progress),
        region_(std::move(region)),
        session_(endpoint, patience, offer.token, "source") {}
  Reception(const Reception&) = delete;
  Reception& operator=(const Reception&) = delete;
  ~Reception() { region_ = {}; }  // unregistered before the session closes the endpoint

  tl::expected<Transferred, cppc_status> run();

 private:
  // Without RMA: a chunk that was announced.
  struct Arrival {
    Control chunk;
    Operation operation;
  };

  Result listen();
  Result turn(std::string_view purpose);
  Result handle(const Control& message);
  Result greet(const Control& hello);
  Result take(const Control& chunk);
  Result advance_arrivals();
  Result verify(const Control& chunk);
  Result check_end() const;
  [[nodiscard]] bool complete() const { return done_ && chunks_ >= done_->index; }

  Endpoint::Impl& endpoint_;
  const Offer& offer_;
  const std::span<std::byte> buffer_;
  const Progress& progress_;

  std::optional<Control> hello_;
  std::optional<Control> done_;
  std::uint64_t chunks_ = 0;  // verified
  std::uint64_t bytes_ = 0;   // verified
  std::uint64_t digest_ = 0;
  std::list<Arrival> arrivals_;  // a list: operations stay in place
  Region region_;                // of the buffer
  Session session_;              // last: closes the endpoint before the operations go
};

tl::expected<Transferred, cppc_status> Reception::run() {
  const auto received = listen();
  session_.part(received ? CPPC_OK : received.error());
  if (!received) return tl::unexpected(received.error());
  return Transferred{.bytes = hello_->bytes, .size = hello_->size};
}

Result Reception::listen() {
  if (auto started = session_.start(); !started) return started;
  while (!complete()) {
    if (auto turned = turn(hello_ ? "receiving the image" : "waiting for the source"); !turned) return turned;
  }
  return check_end();
}

Result Reception::turn(std::string_view purpose) {
  if (auto turned = session_.turn(purpose); !turned) return turned;
  while (const auto message = session_.hear()) {
    if (auto handled = handle(*message); !handled) return handled;
  }
  return advance_arrivals();
}

Result Reception::handle(const Control& message) {
  switch (message.kind) {
    case Kind::hello:
      return greet(message);
    case Kind::chunk:
      return take(message);
    case Kind::done:
      done_ = message;
      return {};
    case Kind::verdict:
      spdlog::error("the migration's source has given up, with status {}", message.status);
      session_.take_leave();
      return tl::unexpected(message.status == CPPC_OK ? CPPC_ERR_FABRIC : status_of(message));
    default:
      spdlog::error("the migration's source sent a message that only a target sends");
      return tl::unexpected(CPPC_ERR_FABRIC);
  }
}

Result Reception::greet(const Control& hello) {
  if (hello_) {  // the token is good for one
    session_.refuse(hello);
    return {};
  }
  if (hello.address_bytes > hello.address.size() || hello.size > buffer_.size() || hello.bytes > hello.size) {
    spdlog::error("the migration's source wants to send {} bytes of {}, which this offer of {} does not allow",
                  hello.bytes, hello.size, buffer_.size());
    return tl::unexpected(CPPC_ERR_FABRIC);
  }
  const auto source = endpoint_.insert(std::span(hello.address).first(hello.address_bytes));
  if (!source) {
    spdlog::error("the migration's source gave an address that {} cannot use", endpoint_.provider);
    return tl::unexpected(source.error());
  }
  hello_ = hello;
  session_.address(*source);
  session_.meet();
  session_.say({.kind = Kind::welcome});
  return {};
}

Result Reception::take(const Control& chunk) {
  if (!hello_ || chunk.bytes > hello_->bytes - bytes_ || chunk.offset > hello_->size ||
      chunk.bytes > hello_->size - chunk.offset) {
    spdlog::error("the migration's source sent {} bytes at {}, outside of what it announced", chunk.bytes,
                  chunk.offset);
    return tl::unexpected(CPPC_ERR_FABRIC);
  }
  if (offer_.rma) return verify(chunk);
  arrivals_.push_back({.chunk = chunk, .operation = {}});
  return {};
}

Result Reception::advance_arrivals() {
  for (auto arrival = arrivals_.begin(); arrival != arrivals_.end();) {
    auto& [chunk, operation] = *arrival;
    if (operation.state == Operation::State::idle) {
      const auto posted = endpoint_.receive_tagged(operation, buffer_.subspan(chunk.offset, chunk.bytes), region_,
                                                   tag_of(offer_.token, chunk.index));
      if (!posted) return tl::unexpected(posted.error());
      if (*posted) session_.say({.kind = Kind::ready, .index = chunk.index});
    }
    if (operation.state == Operation::State::failed) {
      return tl::unexpected(session_.report(operation, "receiving the image"));
    }
    if (operation.state != Operation::State::complete) {
      ++arrival;
      continue;
    }
    if (auto verified = verify(chunk); !verified) return verified;
    arrival = arrivals_.erase(arrival);
  }
  return {};
}

Result Reception::verify(const Control& chunk) {
  if (XXH3_64bits(buffer_.data() + chunk.offset, chunk.bytes) != chunk.hash) {
    spdlog::error("the image's {} bytes at {} did not arrive as they were sent (fabric provider {})", chunk.bytes,
                  chunk.offset, endpoint_.provider);
    return tl::unexpected(CPPC_ERR_CHECKSUM);
  }
  ++chunks_;
  bytes_ += chunk.bytes;
  digest_ += digest_of(chunk);
  if (progress_) progress_(bytes_, hello_->bytes);
  return {};
}

Result Reception::check_end() const {
  if (bytes_ == hello_->bytes && bytes_ == done_->bytes && digest_ == done_->hash) return {};
  spdlog::error("the image's source announced {} bytes and {} bytes arrived, or their order was not kept",
                hello_->bytes, bytes_);
  return tl::unexpected(CPPC_ERR_CHECKSUM);
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------- Receiver

struct Receiver::Impl {
  Endpoint endpoint;
  std::span<std::byte> buffer;
  Offer offer;
  Region region;  // gone once receive() has begun
  bool used = false;
};

tl::expected<Receiver, cppc_status> Receiver::prepare(Endpoint endpoint, std::span<std::byte> buffer) {
  return guarded([&]() -> tl::expected<Receiver, cppc_status> {
    auto& fabric = endpoint.impl();
    Region region;
    if (!buffer.empty()) {
      auto registered = fabric.register_memory(buffer, FI_RECV | (fabric.rma ? FI_REMOTE_WRITE : 0));
      if (!registered) return tl::unexpected(registered.error());
      region = std::move(*registered);
    }
    const bool virtual_addresses = (fabric.info->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
    Offer offer{.provider = fabric.provider,
                .address_format = fabric.info->addr_format,
                .address = fabric.address,
                .node = node_identity(),
                .capacity = buffer.size(),
                .rma = fabric.rma,
                .base = virtual_addresses ? reinterpret_cast<std::uintptr_t>(buffer.data()) : 0,
                .key = region.key()};
    random_bytes(offer.token);
    return Receiver(std::make_unique<Impl>(Impl{
        .endpoint = std::move(endpoint), .buffer = buffer, .offer = std::move(offer), .region = std::move(region)}));
  });
}

Receiver::Receiver(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Receiver::Receiver(Receiver&&) noexcept = default;
Receiver& Receiver::operator=(Receiver&&) noexcept = default;
Receiver::~Receiver() = default;

const Offer& Receiver::offer() const { return impl_->offer; }

tl::expected<Transferred, cppc_status> Receiver::receive(const Patience& patience, const Progress& progress) {
  return guarded([&]() -> tl::expected<Transferred, cppc_status> {
    if (std::exchange(impl_->used, true)) {
      spdlog::error("a fabric receiver was used twice");
      return tl::unexpected(CPPC_ERR_STATE);
    }
    return Reception(impl_->endpoint.impl(), impl_->offer, impl_->buffer, std::move(impl_->region), patience, progress)
        .run();
  });
}

}  // namespace cppc::fabric
