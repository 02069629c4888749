#include "mpi/clock.hpp"

#include <mpi.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>

namespace cppc::mpi {

namespace {

constinit double offset = 0.0;

std::chrono::nanoseconds wall_clock() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch());
}

}  // namespace

double wall_time() { return PMPI_Wtime() + offset; }

void write_clock(ByteWriter& writer) {
  writer.u64(std::bit_cast<std::uint64_t>(wall_time()));
  writer.i64(wall_clock().count());
}

void read_clock(ByteReader& reader) {
  const double then = std::bit_cast<double>(reader.u64());
  const std::chrono::nanoseconds written(reader.i64());
  if (!std::isfinite(then) || written < std::chrono::nanoseconds::zero()) return reader.fail();
  // Clocks of two nodes differ; the program must not see its time run backwards for that.
  const std::chrono::duration<double> since = std::max(wall_clock() - written, std::chrono::nanoseconds::zero());
  offset = then + since.count() - PMPI_Wtime();
}

}  // namespace cppc::mpi
