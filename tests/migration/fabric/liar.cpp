#include "liar.hpp"

#include <xxhash.h>

#include <algorithm>
#include <optional>

#include "fabric/session.hpp"

using namespace cppc::fabric;
using Kind = Control::Kind;

namespace {

tl::expected<Control, cppc_status> next_message(Session& session) {
  while (true) {
    if (auto turned = session.turn("lying"); !turned) return tl::unexpected(turned.error());
    if (auto message = session.hear()) return *message;
  }
}

Control hello_of(const Endpoint::Impl& endpoint, const Extent& extent) {
  Control hello{.kind = Kind::hello, .bytes = extent.bytes.size(), .size = extent.offset + extent.bytes.size()};
  hello.address_bytes = endpoint.address.size();
  std::ranges::copy(endpoint.address, hello.address.begin());
  return hello;
}

}  // namespace

tl::expected<Transferred, cppc_status> tell_lie(Endpoint owner, const Offer& offer, const Extent& extent,
                                                const Patience& patience, const std::string& lie) {
  auto& endpoint = owner.impl();
  Operation write;
  Region region;
  Session session(endpoint, patience, offer.token, "target");
  const auto peer = endpoint.insert(offer.address);
  if (!peer) return tl::unexpected(peer.error());
  session.address(*peer);
  if (auto started = session.start(); !started) return tl::unexpected(started.error());
  session.say(hello_of(endpoint, extent));
  if (auto welcome = next_message(session); !welcome) return tl::unexpected(welcome.error());

  auto registered = endpoint.register_memory(extent.bytes, FI_SEND | FI_WRITE);
  if (!registered) return tl::unexpected(registered.error());
  region = std::move(*registered);
  const Control truth{.kind = Kind::chunk,
                      .offset = extent.offset,
                      .bytes = extent.bytes.size(),
                      .hash = XXH3_64bits(extent.bytes.data(), extent.bytes.size())};
  Control chunk = truth;
  if (lie == "hash") chunk.hash ^= 1;
  if (lie == "place") chunk.offset += 1;
  Control done{.kind = Kind::done, .index = 1, .bytes = truth.bytes, .hash = digest_of(truth)};
  if (lie == "digest") done.hash ^= 1;

  std::optional<Control> verdict;
  if (!offer.rma) {
    session.say(chunk);
    const auto answer = next_message(session);
    if (!answer) return tl::unexpected(answer.error());
    if (answer->kind == Kind::verdict) verdict = *answer;
  }
  while (!verdict && write.state != Operation::State::complete) {
    if (write.state == Operation::State::idle) {
      const auto posted =
          offer.rma ? endpoint.write(write, extent.bytes, region, *peer, offer.base + extent.offset, offer.key)
                    : endpoint.send_tagged(write, extent.bytes, region, *peer, tag_of(offer.token, 0));
      if (!posted) return tl::unexpected(posted.error());
    }
    if (auto turned = session.turn("lying"); !turned) return tl::unexpected(turned.error());
  }
  if (offer.rma) session.say(chunk);
  session.say(done);
  if (!verdict) {
    const auto answer = next_message(session);
    if (!answer) return tl::unexpected(answer.error());
    verdict = *answer;
  }
  session.take_leave();
  region = {};
  if (verdict->status != CPPC_OK) return tl::unexpected(static_cast<cppc_status>(verdict->status));
  return Transferred{.bytes = truth.bytes, .size = extent.offset + truth.bytes};
}
