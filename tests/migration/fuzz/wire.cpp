/// Messages between the controller and the agents.
#include "cppc/wire.hpp"

#include "fuzz.hpp"

namespace cppc::fuzz {

std::vector<Bytes> seeds() {
  using namespace wire;
  const std::vector<Message> messages{
      Hello{.key = "0123456789abcdef", .agent = 1, .agents = 3, .node = "node1", .pid = 4711, .job_size = 6},
      Roster{.agent = 1, .ranks = {{2, 100, 64'000'000, false}, {3, 101, 0, true}}, .cores = 4, .memory_free = 1 << 30},
      Progress{.id = 7, .phase = "ship", .bytes_done = 10, .bytes_total = 20},
      Ready{.id = 7, .agent = 2},
      Farewell{.agent = 2},
      Outcome{.id = 7, .status = CPPC_ERR_LOST, .reason = "node \"1\" is gone", .frozen_ms = 12.5, .image_bytes = 1},
      Order{.id = 8, .moves = {{0, 1}, {5, 2}}, .retire = {0}, .timeout_s = 60, .agents = {0, 1, 2}},
      Commit{.id = 8},
      Cancel{.id = 8},
      Abandon{.id = 8},
      Abandoned{.id = 8, .agent = 1},
      MpiFailed{.id = 8, .agent = 1, .reason = "MPI_Test has failed"},
      Late{.id = 8, .agent = 1, .reason = "rank 3 has not come by a safe point"},
      RemoveRemains{.mpiruns = {1, 65535}},
      Survey{},
      Quit{}};
  std::vector<Bytes> all;
  for (const Message& message : messages) all.push_back(bytes_of(encode(message)));
  return all;
}

}  // namespace cppc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cppc;
  const auto message = wire::decode(fuzz::text_of(std::as_bytes(std::span(data, size))));
  if (!message) return 0;
  const std::string line = wire::encode(*message);
  fuzz::require(line.find('\n') == line.size() - 1);
  const auto again = wire::decode(line);
  fuzz::require(again && wire::encode(*again) == line);
  return 0;
}
