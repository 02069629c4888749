/// Error handlers of the program's own: code of this process, found again in another by the name of the function.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <string>
#include <tl/expected.hpp>
#include <type_traits>
#include <utility>
#include <vector>

#include "bytes.hpp"
#include "cppc/status.h"
#include "mpi/callbacks.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/mpi_objects.hpp"
#include "mpi/own_table.hpp"

namespace cppc::mpi {

/// Of which objects. Values are stored in images.
enum class HandlerKind : std::uint8_t { comm, window, file };

template <class Object>
using ErrorFunction = void(Object*, int*, ...);

template <class Object>
constexpr HandlerKind kind_of = std::is_same_v<Object, MPI_Comm>  ? HandlerKind::comm
                                : std::is_same_v<Object, MPI_Win> ? HandlerKind::window
                                                                  : HandlerKind::file;

/// In which language the function of the program is, which says how it is called: Fortran's is passed the number of the
/// object, and nothing behind the code. Values are stored in images.
enum class HandlerLanguage : std::uint8_t { c, fortran };

/// A function of the program as images have it; the name is empty where it cannot be told.
struct ErrorFunctionName {
  std::string name;
  HandlerLanguage language = HandlerLanguage::c;
};

struct ErrorHandlerRecipe {
  std::uint64_t number;
  HandlerKind kind;
  ErrorFunctionName function;
  std::uint64_t uses;
};

class ErrorHandlers {
  struct Uses {
    std::uint64_t count;  ///< by the program, which frees it as often
  };

 public:
  using Table = OwnTable<MPI_Errhandler, Uses>;

  /// For MPI_Comm_create_errhandler, MPI_Win_create_errhandler and MPI_File_create_errhandler.
  template <class Object>
  int create(ErrorFunction<Object>* function, MPI_Errhandler* out) {
    return create(kind_of<Object>, HandlerLanguage::c, reinterpret_cast<AnyFunction>(function), out);
  }
  int create(HandlerKind kind, HandlerLanguage language, AnyFunction function, MPI_Errhandler* out);

  /// `ask(MPI_Errhandler*)` has MPI give an error handler; in *out the program gets what it is to free, as often as it
  /// was given.
  template <class Ask>
  int give(MPI_Errhandler* out, Ask ask) {
    const int status = ask(out);
    if (comms.managed() && status == MPI_SUCCESS) *out = given(*out);
    return status;
  }

  /// For MPI_Errhandler_free.
  int free(MPI_Errhandler* handler);

  struct Function {
    HandlerKind kind;
    HandlerLanguage language;
    AnyFunction address;

    bool operator==(const Function&) const = default;
  };
  /// Of one, MPI's handle, that is there or that an object of its kind has still.
  [[nodiscard]] const Function& function(MPI_Errhandler handler) const { return functions_.at(handler); }

  /// The name of its function; empty, logged naming `object`, when the program does not declare it.
  [[nodiscard]] ErrorFunctionName function_of(MPI_Errhandler handler, const std::string& object) const;

  /// CPPC_ERR_UNSUPPORTED, logged, when one cannot be made in another process.
  cppc_status write(ByteWriter& writer);

  /// Fails the reader when they are none.
  static std::vector<ErrorHandlerRecipe> read(ByteReader& reader);

  /// Makes them, in a replacement. CPPC_ERR_MISMATCH, CPPC_ERR_MPI, logged.
  cppc_status make(const std::vector<ErrorHandlerRecipe>& recipes);

  /// One with this function: one of make()'s, if there is one. CPPC_ERR_MISMATCH, CPPC_ERR_MPI, logged.
  tl::expected<ErrorHandler, cppc_status> with(HandlerKind kind, const ErrorFunctionName& function);

 private:
  MPI_Errhandler given(MPI_Errhandler real);
  static tl::expected<std::pair<MPI_Errhandler, Function>, cppc_status> make_one(HandlerKind kind,
                                                                                 const ErrorFunctionName& name);

  Table handlers_;
  /// By MPI's handle. Of those, too, that the program has freed: objects may have them still. Of those that are gone
  /// for good one stays per address that MPI gives them.
  std::map<MPI_Errhandler, Function> functions_;
};

ErrorHandlers& error_handlers();

/// The error handler that MPI knows.
inline MPI_Errhandler real(MPI_Errhandler handler) { return ErrorHandlers::Table::real(handler); }

/// The error handler of an object of MPI's, as it goes along with the object.
class ErrorSetting {
 public:
  ErrorSetting(HandlerKind kind, ErrorHandler handler) : kind_(kind), handler_(std::move(handler)) {}

  [[nodiscard]] MPI_Errhandler get() const { return handler_.get(); }

  /// False, logged naming `object`, when it is one whose function the program does not declare.
  [[nodiscard]] bool portable(const std::string& object) const;

  /// Only when portable().
  void write(ByteWriter& writer) const;
  static ErrorSetting read(HandlerKind kind, ByteReader& reader);

  /// In a replacement, once the program's error handlers have been made again, after read(). CPPC_ERR_MISMATCH,
  /// CPPC_ERR_MPI, logged.
  cppc_status find();

 private:
  HandlerKind kind_;
  ErrorHandler handler_;
  ErrorFunctionName function_;  ///< of read(), when find() is to find the handler
};

}  // namespace cppc::mpi
