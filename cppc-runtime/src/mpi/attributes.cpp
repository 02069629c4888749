#include "mpi/attributes.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "address/program_time.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/kept.hpp"
#include "never_destroyed.hpp"

namespace cppc::mpi {

namespace {

constexpr std::array own_keyvals{MPI_TAG_UB, MPI_HOST, MPI_IO, MPI_WTIME_IS_GLOBAL, MPI_LASTUSEDCODE};

struct Answer {
  int found;
  int value;
};

struct LaunchAttribute {
  int keyval;
  std::optional<Answer> earlier;  // from the process that this one replaces
};

constinit std::array launch{LaunchAttribute{MPI_APPNUM, {}}, LaunchAttribute{MPI_UNIVERSE_SIZE, {}}};

Answer ask(int keyval) {
  const int* value = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(MPI_COMM_WORLD, keyval, static_cast<void*>(&value), &found);
  return {found, found ? *value : 0};
}

/// Of the world, or of one of these.
std::set<MPI_Comm>& duplicates() {
  static NeverDestroyed<std::set<MPI_Comm>> handles;
  return *handles;
}

/// Where the program may look for the value as long as it runs, wherever it does: MPI_LASTUSEDCODE grows.
const int* lasting(int keyval, int value) {
  static NeverDestroyed<std::map<int, int*>> places;
  int*& place = (*places)[keyval];
  if (place == nullptr) place = keep(cppc_type_int, value);
  *place = value;
  return place;
}

}  // namespace

bool launch_attribute(MPI_Comm comm, int keyval, void* value, int* flag) {
  const auto of_launch = std::ranges::find(launch, keyval, &LaunchAttribute::keyval);
  const bool known = of_launch != launch.end() || std::ranges::find(own_keyvals, keyval) != own_keyvals.end();
  if (!known) return false;
  if (comm != MPI_COMM_WORLD && (!duplicates().contains(comm) || keyval == MPI_LASTUSEDCODE)) {
    *flag = 0;
    return true;
  }
  const bool earlier = of_launch != launch.end() && of_launch->earlier;
  if (!earlier && !address::kept_by_address()) {
    PMPI_Comm_get_attr(MPI_COMM_WORLD, keyval, value, flag);
    return true;
  }
  const Answer answer = earlier ? *of_launch->earlier : ask(keyval);
  *flag = answer.found;
  const int* const place = *flag ? lasting(keyval, answer.value) : nullptr;
  if (*flag) std::memcpy(value, static_cast<const void*>(&place), sizeof place);
  return true;
}

void copy_launch_attributes(MPI_Comm comm, MPI_Comm made) {
  if (comm == MPI_COMM_WORLD || duplicates().contains(comm)) duplicates().insert(made);
}

void forget_launch_attributes(MPI_Comm made) { duplicates().erase(made); }

void write_launch(ByteWriter& writer) {
  for (const LaunchAttribute& attribute : launch) {
    const Answer answer = attribute.earlier ? *attribute.earlier : ask(attribute.keyval);
    writer.u8(answer.found != 0);
    writer.i32(answer.value);
  }
  writer.u64(duplicates().size());
  for (const MPI_Comm comm : duplicates()) writer.u64(CommTable::index_of(comm));
}

void read_launch(ByteReader& reader) {
  for (LaunchAttribute& attribute : launch) {
    const int found = reader.u8();
    attribute.earlier = Answer{found, reader.i32()};
  }
  duplicates().clear();
  for (std::uint64_t left = reader.count(sizeof(std::uint64_t)); left > 0; --left)
    duplicates().insert(CommTable::handle_of(reader.u64()));
}

}  // namespace cppc::mpi
