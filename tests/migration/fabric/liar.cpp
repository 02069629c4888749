#include "liar.hpp"

#include <xxhash.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "fabric/head.hpp"
#include "fabric/packing.hpp"
#include "fabric/session.hpp"

using namespace cppc::fabric;
using Kind = Control::Kind;

namespace {

using Result = tl::expected<void, cppc_status>;

class Liar {
 public:
  Liar(Endpoint::Impl& endpoint, const Offer& offer, const Cargo& cargo, const TransferLimits& limits, std::string lie)
      : endpoint_(endpoint),
        offer_(offer),
        cargo_(cargo),
        lie_(std::move(lie)),
        session_(endpoint, limits, offer.token, "target") {}
  ~Liar() { region_ = {}; }

  tl::expected<Transferred, cppc_status> run() {
    auto done = connect().and_then([&] { return send_head(); }).and_then([&] { return send_contents(); });
    if (!done) return tl::unexpected(done.error());
    session_.acknowledge_close();
    if (verdict_->status != CPPC_OK) return tl::unexpected(static_cast<cppc_status>(verdict_->status));
    return Transferred{.bytes = head_bytes_ + cargo_.contents.front().bytes.size()};
  }

 private:
  Result connect() {
    const auto peer = endpoint_.insert(offer_.address);
    if (!peer) return tl::unexpected(peer.error());
    session_.address(*peer);
    if (auto started = session_.start(); !started) return started;
    packed_.resize(1 << 20);
    std::vector<std::byte> table = encode_table(cargo_.head);
    std::vector<std::span<const std::byte>> pieces{table};
    for (const auto& extent : cargo_.head) pieces.push_back(extent.bytes);
    for (const auto piece : pieces) head_bytes_ += piece.size();
    packed_.resize(pack(pieces, packed_));
    Control hello{.kind = Kind::hello, .bytes = head_bytes_, .count = endpoint_.address.size()};
    std::ranges::copy(endpoint_.address, hello.address.begin());
    session_.send(hello);
    return await([&] { return welcome_.has_value(); });
  }

  Result send_head() {
    const Control chunk{.kind = Kind::chunk,
                        .index = 0,
                        .offset = 0,
                        .bytes = head_bytes_,
                        .sent = packed_.size(),
                        .hash = XXH3_64bits(packed_.data(), packed_.size()),
                        .coding = Coding::packed,
                        .slot = 0};
    return send(chunk, packed_, welcome_->places[0]).and_then([&] {
      return await([&] { return ready_.has_value() && place_.has_value(); });
    });
  }

  Result send_contents() {
    const Extent& extent = cargo_.contents.front();
    const Control truth{.kind = Kind::chunk,
                        .index = 1,
                        .offset = extent.offset,
                        .bytes = extent.bytes.size(),
                        .sent = extent.bytes.size(),
                        .hash = XXH3_64bits(extent.bytes.data(), extent.bytes.size()),
                        .coding = Coding::plain};
    Control chunk = truth;
    if (lie_ == "hash" || lie_ == "hash-once") chunk.hash ^= 1;
    if (lie_ == "place") chunk.offset += 1;
    std::uint64_t digest = digest_of(0, 0, head_bytes_) + digest_of(1, truth.offset, truth.bytes);
    if (lie_ == "digest") digest ^= 1;
    if (auto sent = send(chunk, extent.bytes, place_->places[0]); !sent) return sent;
    session_.send({.kind = Kind::done, .index = 2, .bytes = head_bytes_ + truth.bytes, .hash = digest});
    while (true) {
      if (auto waited = await([&] { return verdict_ || again_; }); !waited || verdict_) return waited;
      again_ = false;
      if (auto sent = send(lie_ == "hash" ? chunk : truth, extent.bytes, place_->places[0]); !sent) return sent;
    }
  }

  Result send(const Control& chunk, std::span<const std::byte> bytes, const RemotePlace& to) {
    auto registered = endpoint_.register_memory(bytes, FI_SEND | FI_WRITE);
    if (!registered) return tl::unexpected(registered.error());
    region_ = std::move(*registered);
    asked_ = false;
    if (!offer_.rma) {
      session_.send(chunk);
      if (auto waited = await([&] { return asked_ || verdict_; }); !waited || verdict_) return waited;
    }
    operation_.state = Operation::State::idle;
    while (operation_.state != Operation::State::complete) {
      if (operation_.state == Operation::State::idle) {
        const auto posted = offer_.rma ? endpoint_.write(operation_, bytes, region_, session_.peer(), to.base, to.key)
                                       : endpoint_.send_tagged(operation_, bytes, region_, session_.peer(),
                                                               tag_of(offer_.token, chunk.index));
        if (!posted) return tl::unexpected(posted.error());
      }
      if (auto polled = poll(); !polled) return polled;
    }
    if (offer_.rma) session_.send(chunk);
    return {};
  }

  template <class Done>
  Result await(Done done) {
    while (!done()) {
      if (auto polled = poll(); !polled) return polled;
    }
    return {};
  }

  Result poll() {
    if (auto polled = session_.poll("lying"); !polled) return polled;
    while (const auto message = session_.next_message()) {
      if (message->kind == Kind::welcome) welcome_ = message;
      if (message->kind == Kind::place) place_ = message;
      if (message->kind == Kind::ready) ready_ = message;
      if (message->kind == Kind::verdict) verdict_ = message;
      if (message->kind == Kind::send) asked_ = true;
      if (message->kind == Kind::again) again_ = true;
    }
    return {};
  }

  Endpoint::Impl& endpoint_;
  const Offer& offer_;
  const Cargo& cargo_;
  const std::string lie_;
  std::vector<std::byte> packed_;
  std::uint64_t head_bytes_ = 0;
  std::optional<Control> welcome_, place_, ready_, verdict_;
  bool asked_ = false, again_ = false;
  Operation operation_;
  Region region_;
  Session session_;
};

}  // namespace

tl::expected<Transferred, cppc_status> tell_lie(Endpoint owner, const Offer& offer, const Cargo& cargo,
                                                const TransferLimits& limits, const std::string& lie) {
  return Liar(owner.impl(), offer, cargo, limits, lie).run();
}
