/// Info objects that the program has made. They belong to their process alone, as datatypes do, and are made again in a
/// replacement only.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bytes.hpp"
#include "cppc/status.h"
#include "mpi/comm_table.hpp"
#include "own_handles.hpp"

namespace cppc::mpi {

/// Keys and values of an info object.
using Hints = std::vector<std::pair<std::string, std::string>>;

/// An info object that is freed with its owner.
class OwnInfo {
 public:
  explicit OwnInfo(MPI_Info info) : info_(info) {}

  /// One with these hints, MPI_INFO_NULL without any.
  static OwnInfo with(const Hints& hints);

  OwnInfo(const OwnInfo&) = delete;
  OwnInfo& operator=(const OwnInfo&) = delete;
  ~OwnInfo() {
    if (info_ != MPI_INFO_NULL) PMPI_Info_free(&info_);
  }
  [[nodiscard]] MPI_Info get() const { return info_; }

 private:
  MPI_Info info_;
};

Hints hints_in(MPI_Info info);
Hints hints_of(MPI_Comm comm);
void set_hints(MPI_Comm comm, const Hints& hints);

void write(const Hints& hints, ByteWriter& writer);

/// Fails the reader when MPI would not take them.
Hints read_hints(ByteReader& reader);

struct InfoRecipe {
  std::uint64_t number;
  Hints hints;
};

class Infos {
 public:
  /// The call that returned `status` made `info`. Nothing is remembered in a plain program.
  int made(int status, const MPI_Info* info) {
    if (comms.managed() && status == MPI_SUCCESS && *info != MPI_INFO_NULL) infos_.add(*info, {});
    return status;
  }

  /// For MPI_Info_free.
  int free(MPI_Info* info);

  [[nodiscard]] std::optional<std::uint64_t> number_of(MPI_Info info) const { return infos_.number_of(info); }
  [[nodiscard]] std::optional<MPI_Info> at(std::uint64_t number) const { return infos_.at(number); }

  void write(ByteWriter& writer) const;

  /// Fails the reader when they are none.
  static std::vector<InfoRecipe> read(ByteReader& reader);

  /// Makes them, in a replacement. CPPC_ERR_MPI, logged.
  cppc_status make(const std::vector<InfoRecipe>& recipes);

 private:
  struct Nothing {};
  OwnHandles<MPI_Info, Nothing> infos_;
};

Infos& infos();

}  // namespace cppc::mpi
