/// Info objects that the program has made. They belong to their process alone, as datatypes do, and are made again in a
/// replacement only, under their numbers.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bytes.hpp"
#include "cppc/status.h"
#include "mpi/comm_table.hpp"
#include "mpi/own_table.hpp"

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
  struct Nothing {};

 public:
  using Table = OwnTable<MPI_Info, Nothing>;

  /// `make(MPI_Info*)` makes an info object; the program gets a handle of the table for it in *out.
  template <class Make>
  int create(MPI_Info* out, Make make) {
    if (!comms.managed() || out == nullptr) return make(out);
    MPI_Info made = MPI_INFO_NULL;
    const int status = make(&made);
    if (status == MPI_SUCCESS) *out = made == MPI_INFO_NULL ? made : infos_.add(made, {});
    return status;
  }

  /// For MPI_Info_free.
  int free(MPI_Info* info);

  void write(ByteWriter& writer);

  /// Fails the reader when they are none.
  static std::vector<InfoRecipe> read(ByteReader& reader);

  /// Makes them, in a replacement. CPPC_ERR_MPI, logged.
  cppc_status make(const std::vector<InfoRecipe>& recipes);

 private:
  Table infos_;
};

Infos& infos();

/// The info object that MPI knows.
inline MPI_Info real(MPI_Info info) { return Infos::Table::real(info); }

}  // namespace cppc::mpi
