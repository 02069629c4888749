// The fabric inside of an MPI program, whose library may use libfabric too: rank 0 receives from rank 1 while MPI is in
// use before, in between and afterwards. To be run by two ranks: fabric_mpi <provider>
#include <mpi.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "fabric.hpp"
#include "pattern.hpp"

namespace {

using namespace cppc::fabric;

constexpr std::uint64_t image_bytes = 20'000'000;

TransferLimits limits() {
  return {.deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2), .cancelled = {}};
}

bool receive_one(const std::string& provider) {
  std::vector<std::byte> buffer(image_bytes, pattern::untouched);
  auto endpoint = Endpoint::open({.provider = provider, .local_address = "127.0.0.1"});
  if (!endpoint) return false;
  auto receiver = Receiver::prepare(std::move(*endpoint));
  if (!receiver) return false;
  const auto offer = receiver->offer().encode();
  const Unpack unpack = [&](std::span<const Extent>,
                            const KeepAlive&) -> tl::expected<std::vector<Place>, cppc_status> {
    return std::vector<Place>{{0, buffer}};
  };
  MPI_Send(offer.data(), static_cast<int>(offer.size()), MPI_BYTE, 1, 0, MPI_COMM_WORLD);
  return receiver->receive(unpack, limits()) && pattern::is_right(buffer, {{0, image_bytes}});
}

bool send_one() {
  MPI_Status status;
  MPI_Probe(0, 0, MPI_COMM_WORLD, &status);
  int length = 0;
  MPI_Get_count(&status, MPI_BYTE, &length);
  std::vector<std::byte> bytes(static_cast<std::size_t>(length));
  MPI_Recv(bytes.data(), length, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const auto offer = Offer::decode(bytes);
  if (!offer) return false;
  auto endpoint = Endpoint::open_towards(*offer);
  if (!endpoint) return false;
  const auto memory = pattern::make({{0, image_bytes}});
  const std::vector<Extent> extents = {{.offset = 0, .bytes = memory[0]}};
  return send(std::move(*endpoint), *offer, {.head = {}, .contents = extents}, limits()).has_value();
}

// Large enough not to go eagerly.
bool mpi_works(int rank) {
  std::vector<int> mine(1'000'000, rank + 1), sum(mine.size());
  MPI_Allreduce(mine.data(), sum.data(), static_cast<int>(mine.size()), MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return sum.front() == 3 && sum.back() == 3;
}

}  // namespace

int main(int argc, char** argv) {
  spdlog::set_default_logger(spdlog::stderr_logger_mt("fabric_mpi"));
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 2 || size != 2) {
    std::cerr << "usage: mpirun -n 2 fabric_mpi <provider>\n";
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  bool fine = true;
  for (int i = 0; i < 3 && fine; ++i) {
    fine = mpi_works(rank) && (rank == 0 ? receive_one(argv[1]) : send_one()) && mpi_works(rank);
  }
  if (!fine) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  MPI_Finalize();
  return EXIT_SUCCESS;
}
