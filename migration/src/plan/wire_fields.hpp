/// The fields of every message between controller and agents, named once for both directions: a Visitor is the Writer
/// or the Reader of wire.cpp.
#pragma once

#include "cppc/wire.hpp"

namespace cppc::wire {

template <class Visitor, class Message>
using Visited = typename Visitor::template Visited<Message>;

template <class Visitor>
void fields(Visitor& visit, Visited<Visitor, Rank>& rank) {
  visit("rank", rank.rank);
  visit("pid", rank.pid);
  visit("bytes", rank.bytes);
  visit("finished", rank.finished);
  visit("sharers", rank.sharers);
}

template <class Visitor>
void fields(Visitor& visit, Visited<Visitor, Move>& move) {
  visit("rank", move.rank);
  visit("to", move.to);
}

template <class Visitor>
void fields(Visitor& visit, Visited<Visitor, Hello>& hello) {
  visit("key", hello.key);
  visit("agent", hello.agent);
  visit("agents", hello.agents);
  visit("node", hello.node);
  visit("pid", hello.pid);
  visit("job_size", hello.job_size);
}

template <class Visitor>
void fields(Visitor& visit, Visited<Visitor, Roster>& roster) {
  visit("agent", roster.agent);
  visit("ranks", roster.ranks);
  visit("cores", roster.cores);
  visit("memory_free", roster.memory_free);
}

template <class Visitor>
void fields(Visitor& visit, Visited<Visitor, Shipment>& shipment) {
  visit("rank", shipment.rank);
  visit("bytes_done", shipment.bytes_done);
  visit("bytes_total", shipment.bytes_total);
  visit("chunks_again", shipment.chunks_again);
}

template <class Visitor>
void fields(Visitor& visit, Visited<Visitor, Progress>& progress) {
  visit("id", progress.id);
  visit("phase", progress.phase);
  visit("bytes_done", progress.bytes_done);
  visit("bytes_total", progress.bytes_total);
  visit("agent", progress.agent);
  visit("ranks", progress.ranks);
}

template <class Visitor>
void fields(Visitor& visit, Visited<Visitor, Outcome>& outcome) {
  visit("id", outcome.id);
  visit("status", outcome.status);
  visit("reason", outcome.reason);
  visit("frozen_ms", outcome.frozen_ms);
  visit("response_ms", outcome.response_ms);
  visit("evacuation_ms", outcome.evacuation_ms);
  visit("rebuild_ms", outcome.rebuild_ms);
  visit("image_bytes", outcome.image_bytes);
  visit("downtime_ms", outcome.downtime_ms);
}

template <class Visitor>
void fields(Visitor& visit, Visited<Visitor, SavedImage>& image) {
  visit("rank", image.rank);
  visit("bytes", image.bytes);
  visit("xxh3", image.xxh3);
  visit("program", image.program);
}

template <class Visitor>
void fields(Visitor& visit, Visited<Visitor, Saved>& saved) {
  visit("id", saved.id);
  visit("agent", saved.agent);
  visit("images", saved.images);
}

template <class Visitor>
void fields(Visitor& visit, Visited<Visitor, Order>& order) {
  visit("id", order.id);
  visit("moves", order.moves);
  visit("retire", order.retire);
  visit("timeout_s", order.timeout_s);
  visit("agents", order.agents);
  visit("without_mpi", order.without_mpi);
  visit("checkpoint", order.checkpoint);
  visit("stands", order.stands);
}

template <class Visitor>
void fields(Visitor& visit, Visited<Visitor, Proceed>& proceed) {
  visit("id", proceed.id);
  visit("leaves", proceed.leaves);
}

template <class Visitor>
void fields(Visitor& visit, Visited<Visitor, Substitute>& substitute) {
  visit("key", substitute.key);
  visit("agent", substitute.agent);
  visit("count", substitute.count);
  visit("confirmed", substitute.confirmed);
}

template <class Visitor>
void fields(Visitor& visit, Visited<Visitor, Placement>& placement) {
  visit("agent_of", placement.agent_of);
}

template <class Visitor>
void fields(Visitor& visit, Visited<Visitor, Relay>& relay) {
  visit("id", relay.id);
  visit("from", relay.from);
  visit("to", relay.to);
  visit("tag", relay.tag);
  visit("bytes", relay.bytes);
}

template <class Visitor>
void fields(Visitor& visit, Visited<Visitor, Abandon>& abandon) {
  visit("id", abandon.id);
}

template <class Visitor>
void fields(Visitor& visit, Visited<Visitor, Abandoned>& abandoned) {
  visit("id", abandoned.id);
  visit("agent", abandoned.agent);
}

template <class Visitor>
void fields(Visitor& visit, Visited<Visitor, MpiFailed>& failed) {
  visit("id", failed.id);
  visit("agent", failed.agent);
  visit("reason", failed.reason);
}

template <class Visitor>
void fields(Visitor& visit, Visited<Visitor, Late>& late) {
  visit("id", late.id);
  visit("agent", late.agent);
  visit("reason", late.reason);
}

template <class Visitor>
void fields(Visitor& visit, Visited<Visitor, Ready>& ready) {
  visit("id", ready.id);
  visit("agent", ready.agent);
}

template <class Visitor>
void fields(Visitor& visit, Visited<Visitor, Farewell>& farewell) {
  visit("agent", farewell.agent);
}

template <class Visitor>
void fields(Visitor& visit, Visited<Visitor, Commit>& commit) {
  visit("id", commit.id);
}

template <class Visitor>
void fields(Visitor& visit, Visited<Visitor, Cancel>& cancel) {
  visit("id", cancel.id);
}

template <class Visitor>
void fields(Visitor&, Visited<Visitor, Survey>&) {}

template <class Visitor>
void fields(Visitor&, Visited<Visitor, Quit>&) {}

template <class Visitor>
void fields(Visitor&, Visited<Visitor, End>&) {}

}  // namespace cppc::wire
