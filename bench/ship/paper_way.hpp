/// Reference: as in CPPC's migration of 2013. The state is written with H5Dwrite into an HDF5 file that the core driver
/// keeps in memory; H5Fget_file_image copies that file into a second buffer; MPI_Send and MPI_Recv move it as a whole;
/// H5LTopen_file_image, as it is without flags, and H5Dread put it into place.
///
/// Kinder than the original: the small objects are packed into one data set, instead of 10,000; the file in memory is
/// closed before the copy of it is sent, which leaves room for states of a fourth of the machine's memory; and the
/// target waits for the size outside of MPI, where it takes no processor time from the source. No checksums.
#pragma once

#include "connection.hpp"
#include "state.hpp"
#include "way.hpp"

namespace cppc::bench {

/// Between ranks 0 and 1 of MPI_COMM_WORLD.
class PaperSource : public Source {
 public:
  PaperSource(State& state, Connection& control) : state_(state), control_(control) {}
  Result<void> prepare(const std::string&) override { return {}; }
  Result<Moved> move() override;

 private:
  State& state_;
  Connection& control_;
};

class PaperTarget : public Target {
 public:
  PaperTarget(State& state, Connection& control) : state_(state), control_(control) {}
  Result<std::string> prepare() override { return ""; }
  Result<void> receive() override;

 private:
  State& state_;
  Connection& control_;
};

}  // namespace cppc::bench
