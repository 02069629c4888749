#include "mpi/error_handlers.hpp"

#include <cstdarg>

#include "log.hpp"
#include "mpi/callbacks.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/recipes.hpp"
#include "never_destroyed.hpp"

namespace cppc::mpi {

namespace {

using Function = MPI_Comm_errhandler_function;

/// MPI calls it for all functions of the program, with the real communicator and, in Open MPI, the name of the MPI
/// function.
void call_function(MPI_Comm* real, int* code, ...) {
  std::va_list more;
  va_start(more, code);
  const char* const where = va_arg(more, const char*);
  va_end(more);
  MPI_Comm comm = comms.handle_for(*real);
  error_handlers().function(ErrorHandler::of(*real).get())(&comm, code, where, nullptr);
}

tl::expected<MPI_Errhandler, cppc_status> made_with(const std::string& name) {
  Function* const function = function_named<Function>(name);
  if (function == nullptr) {
    log().error("the image has an error handler with function {}(), which this program does not have", name);
    return tl::unexpected(CPPC_ERR_MISMATCH);
  }
  MPI_Errhandler made = MPI_ERRHANDLER_NULL;
  if (const int status = PMPI_Comm_create_errhandler(call_function, &made); status != MPI_SUCCESS) {
    log().error("cannot make an error handler with function {}() again: {}", name, error_text(status));
    return tl::unexpected(CPPC_ERR_MPI);
  }
  return made;
}

}  // namespace

int ErrorHandlers::create(Function* function, MPI_Errhandler* out) {
  const int status = PMPI_Comm_create_errhandler(call_function, out);
  if (status != MPI_SUCCESS) return status;
  handlers_.add(*out, {.count = 1});
  functions_[*out] = function;
  return status;
}

void ErrorHandlers::given(MPI_Errhandler handler) {
  if (!functions_.contains(handler)) return;
  if (Uses* const uses = handlers_.find(handler)) {
    ++uses->count;
  } else {
    handlers_.add(handler, {.count = 1});
  }
}

int ErrorHandlers::free(MPI_Errhandler* handler) {
  const MPI_Errhandler freed = handler != nullptr ? *handler : MPI_ERRHANDLER_NULL;
  const int status = PMPI_Errhandler_free(handler);
  Uses* const uses = handlers_.find(freed);
  if (status == MPI_SUCCESS && uses != nullptr && --uses->count == 0) handlers_.remove(freed);
  return status;
}

std::string ErrorHandlers::function_of(MPI_Errhandler handler, const std::string& object) const {
  const auto found = functions_.find(handler);
  const char* const name = found != functions_.end() ? name_of_function(found->second) : nullptr;
  if (name != nullptr) return name;
  log().error("{} cannot be carried over to another process: its function is not one that the program declares",
              object);
  return {};
}

cppc_status ErrorHandlers::write(ByteWriter& writer) const {
  writer.u64(handlers_.entries().size());
  for (const auto& [number, entry] : handlers_.entries()) {
    const std::string function = function_of(entry.handle, "an error handler");
    if (function.empty()) return CPPC_ERR_UNSUPPORTED;
    writer.u64(number);
    writer.text(function);
    writer.u64(entry.info.count);
  }
  return CPPC_OK;
}

std::vector<ErrorHandlerRecipe> ErrorHandlers::read(ByteReader& reader) {
  return read_recipes(reader, 3 * sizeof(std::uint64_t), [&](std::uint64_t number) {
    const std::string function(reader.text());
    const std::uint64_t uses = reader.u64();
    if (uses == 0) reader.fail();
    return ErrorHandlerRecipe{.number = number, .function = function, .uses = uses};
  });
}

cppc_status ErrorHandlers::make(const std::vector<ErrorHandlerRecipe>& recipes) {
  const ErrorsReturned errors_returned;
  if (!recipes.empty()) handlers_.reserve(recipes.back().number + 1);
  for (const auto& [number, function, uses] : recipes) {
    const auto made = made_with(function);
    if (!made) return made.error();
    handlers_.put(number, *made, {.count = uses});
    functions_[*made] = function_named<Function>(function);
  }
  return CPPC_OK;
}

tl::expected<ErrorHandler, cppc_status> ErrorHandlers::with(const std::string& function) {
  for (const auto& [number, entry] : handlers_.entries())
    if (functions_.at(entry.handle) == function_named<Function>(function))
      return ErrorHandler::predefined(entry.handle);
  auto made = made_with(function);
  if (!made) return tl::unexpected(made.error());
  functions_[*made] = function_named<Function>(function);
  return ErrorHandler::owned(*made);
}

ErrorHandlers& error_handlers() {
  static NeverDestroyed<ErrorHandlers> instance;
  return *instance;
}

}  // namespace cppc::mpi

using namespace cppc::mpi;

extern "C" {

int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function* function, MPI_Errhandler* handler) {
  return comms.managed() ? error_handlers().create(function, handler) : PMPI_Comm_create_errhandler(function, handler);
}

int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* handler) {
  const int status = PMPI_Comm_get_errhandler(comms.real(comm, __func__), handler);
  if (comms.managed() && status == MPI_SUCCESS) error_handlers().given(*handler);
  return status;
}

int MPI_Errhandler_free(MPI_Errhandler* handler) {
  return comms.managed() ? error_handlers().free(handler) : PMPI_Errhandler_free(handler);
}

// Of MPI 1: for mpi.h they are errors by now, unless one asks for them; the library has them all the same.
#undef MPI_Errhandler_create
#undef MPI_Errhandler_get
#undef MPI_Errhandler_set
#pragma GCC visibility push(default)

int MPI_Errhandler_create(MPI_Comm_errhandler_function* function, MPI_Errhandler* handler) {
  return MPI_Comm_create_errhandler(function, handler);
}

int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler* handler) { return MPI_Comm_get_errhandler(comm, handler); }

int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler handler) { return MPI_Comm_set_errhandler(comm, handler); }

#pragma GCC visibility pop

}  // extern "C"
