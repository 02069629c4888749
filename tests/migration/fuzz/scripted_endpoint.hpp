/// The other end of a transfer, played from a script: an Endpoint::Impl without libfabric, for fuzzing what is above
/// it.
///
/// A script is a list of steps, one for each time that the endpoint is polled. A step is a message of the other end,
/// with the data that it announces, as the bytes of a Step; token and checksum are put in unless the step says
/// otherwise. When the script is at its end so is the connection.
#pragma once

#include <map>
#include <vector>

#include "bytes.hpp"
#include "fabric/control.hpp"
#include "fabric/endpoint.hpp"

namespace cppc::fabric::fuzz {

/// The token of both ends.
Token token();

struct Step {
  enum Flags : std::uint8_t {
    stranger = 1,     ///< shows another token
    damaged = 2,      ///< checksum of the message is wrong
    wrong_hash = 4,   ///< of the data
    wrong_total = 8,  ///< done: numbers as they are in the step, instead of those of all chunks so far
    failure = 16,     ///< no message: something posted fails
  };

  std::uint8_t flags = 0;
  Control message;
  std::vector<std::byte> data;  ///< chunk: what travels

  void write(ByteWriter& writer) const;
  static Step read(ByteReader& reader);
};

std::vector<std::byte> script(const std::vector<Step>& steps);

/// From here on endpoints play `script`. `land(offset, data)` is called for data that is written straight to its place.
void play(std::span<const std::byte> script, void (*land)(std::uint64_t offset, std::span<const std::byte> data));

std::unique_ptr<Endpoint::Impl> make_endpoint(bool rma);

}  // namespace cppc::fabric::fuzz
