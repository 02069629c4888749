/// Error classes, codes and texts that the program has added: MPI numbers them in their order.
#pragma once

#include <string>
#include <vector>

#include "bytes.hpp"
#include "cppc/status.h"

namespace cppc::mpi {

class ErrorCodes {
 public:
  /// A call that was successful.
  struct Added {
    enum Kind : std::uint8_t { error_class, error_code, text };
    Kind kind = error_class;
    int of_class = 0;  ///< of a code
    int number = 0;    ///< as MPI has given it; of a text the code or class that has it
    std::string message;
  };

  void note(Added added) { all_.push_back(std::move(added)); }

  void write(ByteWriter& writer) const;
  static std::vector<Added> read(ByteReader& reader);
  /// Adds them in this process, too. CPPC_ERR_MPI, logged, when MPI numbers them otherwise.
  cppc_status make(std::vector<Added> all);

 private:
  std::vector<Added> all_;
};

ErrorCodes& error_codes();

}  // namespace cppc::mpi
