#include "mpi/error_handlers.hpp"

#include <array>
#include <cstdarg>

#include "address/program_time.hpp"
#include "log.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/files.hpp"
#include "mpi/fortran_handles.hpp"
#include "mpi/recipes.hpp"
#include "mpi/turns.hpp"
#include "mpi/windows.hpp"
#include "never_destroyed.hpp"

namespace cppc::mpi {

namespace {

MPI_Comm known(MPI_Comm real) { return comms.handle_for(real); }
MPI_Win known(MPI_Win real) { return windows().handle_for(real); }
MPI_File known(MPI_File real) { return files().handle_for(real); }

/// MPI calls it for all functions of the program, with the real object and, in Open MPI, the name of the MPI function.
template <class Object>
void call_function(Object* real, int* code, ...) {
  std::va_list more;
  va_start(more, code);
  const char* const where = va_arg(more, const char*);
  va_end(more);
  Object object = known(*real);
  const ErrorHandlers::Function& function = error_handlers().function(ErrorHandler::of(*real).get());
  if (function.language == HandlerLanguage::fortran) {
    MPI_Fint number = to_fortran(object);
    const address::InsideProgram program;
    reinterpret_cast<void (*)(MPI_Fint*, int*)>(function.address)(&number, code);
    return;
  }
  const address::InsideProgram program;
  reinterpret_cast<ErrorFunction<Object>*>(function.address)(&object, code, where, nullptr);
}

// By HandlerKind.
constexpr std::array<int (*)(MPI_Errhandler*), 3> makers{
    [](MPI_Errhandler* made) { return PMPI_Comm_create_errhandler(call_function<MPI_Comm>, made); },
    [](MPI_Errhandler* made) { return PMPI_Win_create_errhandler(call_function<MPI_Win>, made); },
    [](MPI_Errhandler* made) { return PMPI_File_create_errhandler(call_function<MPI_File>, made); }};

int make_handler(HandlerKind kind, MPI_Errhandler* made) { return makers[static_cast<std::size_t>(kind)](made); }

HandlerKind read_kind(ByteReader& reader) {
  const std::uint8_t kind = reader.u8();
  if (kind >= makers.size()) reader.fail();
  return kind < makers.size() ? HandlerKind{kind} : HandlerKind::comm;
}

HandlerLanguage read_language(ByteReader& reader) {
  const std::uint8_t language = reader.u8();
  if (language > static_cast<std::uint8_t>(HandlerLanguage::fortran)) reader.fail();
  return language == static_cast<std::uint8_t>(HandlerLanguage::fortran) ? HandlerLanguage::fortran
                                                                         : HandlerLanguage::c;
}

void write_name(ByteWriter& writer, const ErrorFunctionName& function) {
  writer.u8(static_cast<std::uint8_t>(function.language));
  writer.text(function.name);
}

ErrorFunctionName read_name(ByteReader& reader) {
  const HandlerLanguage language = read_language(reader);
  return {.name = std::string(reader.text()), .language = language};
}

}  // namespace

int ErrorHandlers::create(HandlerKind kind, HandlerLanguage language, AnyFunction function, MPI_Errhandler* out) {
  MPI_Errhandler made = MPI_ERRHANDLER_NULL;
  const int status = make_handler(kind, &made);
  if (status != MPI_SUCCESS) return status;
  *out = handlers_.add(made, {.count = 1});
  functions_[made] = {.kind = kind, .language = language, .address = function};
  return status;
}

MPI_Errhandler ErrorHandlers::given(MPI_Errhandler real) {
  if (!functions_.contains(real)) return real;
  const MPI_Errhandler handle = handlers_.handle_for(real);
  if (handle == real) return handlers_.add(real, {.count = 1});
  ++handlers_.find(handle)->count;
  must(PMPI_Errhandler_free(&real), "MPI_Errhandler_free");  // the table has it already
  return handle;
}

int ErrorHandlers::free(MPI_Errhandler* handler) {
  Uses* const uses = handler != nullptr ? handlers_.find(*handler) : nullptr;
  if (uses == nullptr) return PMPI_Errhandler_free(handler);
  MPI_Errhandler freed = real(*handler);
  if (--uses->count == 0) {
    handlers_.remove(*handler);
    must(PMPI_Errhandler_free(&freed), "MPI_Errhandler_free");
  }
  *handler = MPI_ERRHANDLER_NULL;
  return MPI_SUCCESS;
}

ErrorFunctionName ErrorHandlers::function_of(MPI_Errhandler handler, const std::string& object) const {
  const auto found = functions_.find(handler);
  if (found != functions_.end()) {
    const std::string name = name_of_function(found->second.address);
    if (!name.empty()) return {.name = name, .language = found->second.language};
  }
  log().error("{} cannot be carried over to another process: its function is not one that the program declares",
              object);
  return {};
}

cppc_status ErrorHandlers::write(ByteWriter& writer) {
  std::vector<ErrorHandlerRecipe> recipes;
  handlers_.each([&](std::size_t index, MPI_Errhandler real, const Uses& uses) {
    recipes.push_back({.number = index,
                       .kind = functions_.at(real).kind,
                       .function = function_of(real, "an error handler"),
                       .uses = uses.count});
  });
  writer.u64(recipes.size());
  for (const ErrorHandlerRecipe& recipe : recipes) {
    if (recipe.function.name.empty()) return CPPC_ERR_UNSUPPORTED;
    writer.u64(recipe.number);
    writer.u8(static_cast<std::uint8_t>(recipe.kind));
    write_name(writer, recipe.function);
    writer.u64(recipe.uses);
  }
  return CPPC_OK;
}

std::vector<ErrorHandlerRecipe> ErrorHandlers::read(ByteReader& reader) {
  return read_recipes(reader, 3 * sizeof(std::uint64_t), [&](std::uint64_t number) {
    const HandlerKind kind = read_kind(reader);
    const ErrorFunctionName function = read_name(reader);
    const std::uint64_t uses = reader.u64();
    if (uses == 0) reader.fail();
    return ErrorHandlerRecipe{.number = number, .kind = kind, .function = function, .uses = uses};
  });
}

tl::expected<std::pair<MPI_Errhandler, ErrorHandlers::Function>, cppc_status> ErrorHandlers::make_one(
    HandlerKind kind, const ErrorFunctionName& name) {
  const Function function{.kind = kind, .language = name.language, .address = any_named(name.name)};
  if (function.address == nullptr) {
    log().error("the image has an error handler with function {}(), which this program does not have", name.name);
    return tl::unexpected(CPPC_ERR_MISMATCH);
  }
  MPI_Errhandler made = MPI_ERRHANDLER_NULL;
  if (const int status = make_handler(kind, &made); status != MPI_SUCCESS) {
    log().error("cannot make an error handler with function {}() again: {}", name.name, error_text(status));
    return tl::unexpected(CPPC_ERR_MPI);
  }
  return std::pair{made, function};
}

cppc_status ErrorHandlers::make(const std::vector<ErrorHandlerRecipe>& recipes) {
  const ErrorsReturned errors_returned;
  for (const auto& [number, kind, function, uses] : recipes) {
    const auto made = make_one(kind, function);
    if (!made) return made.error();
    handlers_.put(number, made->first, {.count = uses});
    functions_[made->first] = made->second;
  }
  return CPPC_OK;
}

tl::expected<ErrorHandler, cppc_status> ErrorHandlers::with(HandlerKind kind, const ErrorFunctionName& function) {
  const Function wanted{.kind = kind, .language = function.language, .address = any_named(function.name)};
  MPI_Errhandler same = MPI_ERRHANDLER_NULL;
  handlers_.each([&](std::size_t, MPI_Errhandler real, const Uses&) {
    if (functions_.at(real) == wanted) same = real;
  });
  if (same != MPI_ERRHANDLER_NULL) return ErrorHandler::predefined(same);
  const auto made = make_one(kind, function);
  if (!made) return tl::unexpected(made.error());
  functions_[made->first] = made->second;
  return ErrorHandler::owned(made->first);
}

ErrorHandlers& error_handlers() {
  static NeverDestroyed<ErrorHandlers> instance;
  return *instance;
}

namespace {

enum : std::uint8_t { errors_are_fatal, errors_return, calls_function };

std::uint8_t way_of(MPI_Errhandler handler) {
  if (handler == MPI_ERRORS_ARE_FATAL) return errors_are_fatal;
  return handler == MPI_ERRORS_RETURN ? errors_return : calls_function;
}

}  // namespace

bool ErrorSetting::portable(const std::string& object) const {
  return way_of(get()) != calls_function ||
         !error_handlers().function_of(get(), "the error handler of " + object).name.empty();
}

void ErrorSetting::write(ByteWriter& writer) const {
  const std::uint8_t way = way_of(get());
  writer.u8(way);
  if (way == calls_function) write_name(writer, error_handlers().function_of(get(), "an error handler"));
}

ErrorSetting ErrorSetting::read(HandlerKind kind, ByteReader& reader) {
  const std::uint8_t way = reader.u8();
  ErrorSetting setting(kind, ErrorHandler::predefined(way == errors_return ? MPI_ERRORS_RETURN : MPI_ERRORS_ARE_FATAL));
  if (way == calls_function) setting.function_ = read_name(reader);
  if (way > calls_function) reader.fail();
  return setting;
}

cppc_status ErrorSetting::find() {
  if (function_.name.empty()) return CPPC_OK;
  auto found = error_handlers().with(kind_, function_);
  if (!found) return found.error();
  handler_ = std::move(*found);
  return CPPC_OK;
}

}  // namespace cppc::mpi

using namespace cppc::mpi;

extern "C" {

int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function* function, MPI_Errhandler* handler) {
  const Entry entry;
  return comms.managed() ? error_handlers().create(function, handler) : PMPI_Comm_create_errhandler(function, handler);
}

int MPI_Win_create_errhandler(MPI_Win_errhandler_function* function, MPI_Errhandler* handler) {
  const Entry entry;
  return comms.managed() ? error_handlers().create(function, handler) : PMPI_Win_create_errhandler(function, handler);
}

int MPI_File_create_errhandler(MPI_File_errhandler_function* function, MPI_Errhandler* handler) {
  const Entry entry;
  return comms.managed() ? error_handlers().create(function, handler) : PMPI_File_create_errhandler(function, handler);
}

int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* handler) {
  const Entry entry;
  return error_handlers().give(handler, [&](MPI_Errhandler* its) {
    return PMPI_Comm_get_errhandler(comms.real(comm, "MPI_Comm_get_errhandler"), its);
  });
}

int MPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler* handler) {
  const Entry entry;
  return error_handlers().give(handler,
                               [&](MPI_Errhandler* its) { return PMPI_Win_get_errhandler(windows().real(win), its); });
}

int MPI_File_get_errhandler(MPI_File file, MPI_Errhandler* handler) {
  const Entry entry;
  return error_handlers().give(handler,
                               [&](MPI_Errhandler* its) { return PMPI_File_get_errhandler(files().real(file), its); });
}

int MPI_Errhandler_free(MPI_Errhandler* handler) {
  const Entry entry;
  return comms.managed() ? error_handlers().free(handler) : PMPI_Errhandler_free(handler);
}

// Of MPI 1: for mpi.h they are errors by now, unless one asks for them; the library has them all the same.
#undef MPI_Errhandler_create
#undef MPI_Errhandler_get
#undef MPI_Errhandler_set
#pragma GCC visibility push(default)

int MPI_Errhandler_create(MPI_Comm_errhandler_function* function, MPI_Errhandler* handler) {
  const Entry entry;
  return MPI_Comm_create_errhandler(function, handler);
}

int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler* handler) {
  const Entry entry;
  return MPI_Comm_get_errhandler(comm, handler);
}

int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler handler) {
  const Entry entry;
  return MPI_Comm_set_errhandler(comm, handler);
}

#pragma GCC visibility pop

}  // extern "C"
