/// Error handlers of the program's own: code of this process, found again in another by the name of the function.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "bytes.hpp"
#include "cppc/status.h"
#include "mpi/mpi_objects.hpp"
#include "own_handles.hpp"

namespace cppc::mpi {

struct ErrorHandlerRecipe {
  std::uint64_t number;
  std::string function;
  std::uint64_t uses;
};

class ErrorHandlers {
 public:
  /// For MPI_Comm_create_errhandler.
  int create(MPI_Comm_errhandler_function* function, MPI_Errhandler* out);

  /// The program was given `handler`, and is to free it, as often as it was given.
  void given(MPI_Errhandler handler);

  /// For MPI_Errhandler_free.
  int free(MPI_Errhandler* handler);

  /// Of one that is there or that a communicator has still.
  [[nodiscard]] MPI_Comm_errhandler_function* function(MPI_Errhandler handler) const { return functions_.at(handler); }

  /// The name of its function; empty, logged naming `object`, when the program does not declare it.
  [[nodiscard]] std::string function_of(MPI_Errhandler handler, const std::string& object) const;

  [[nodiscard]] std::optional<std::uint64_t> number_of(MPI_Errhandler handler) const {
    return handlers_.number_of(handler);
  }
  [[nodiscard]] std::optional<MPI_Errhandler> at(std::uint64_t number) const { return handlers_.at(number); }

  /// CPPC_ERR_UNSUPPORTED, logged, when one cannot be made in another process.
  cppc_status write(ByteWriter& writer) const;

  /// Fails the reader when they are none.
  static std::vector<ErrorHandlerRecipe> read(ByteReader& reader);

  /// Makes them, in a replacement. CPPC_ERR_MISMATCH, CPPC_ERR_MPI, logged.
  cppc_status make(const std::vector<ErrorHandlerRecipe>& recipes);

  /// One with this function: one of make()'s, if there is one. CPPC_ERR_MISMATCH, CPPC_ERR_MPI, logged.
  tl::expected<ErrorHandler, cppc_status> with(const std::string& function);

 private:
  struct Uses {
    std::uint64_t count;  ///< by the program, which frees it as often
  };
  OwnHandles<MPI_Errhandler, Uses> handlers_;
  /// Of those, too, that the program has freed: communicators may have them still. Of those that are gone for good one
  /// stays per address that MPI gives them.
  std::map<MPI_Errhandler, MPI_Comm_errhandler_function*> functions_;
};

ErrorHandlers& error_handlers();

}  // namespace cppc::mpi
