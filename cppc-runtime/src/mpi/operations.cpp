#include "mpi/operations.hpp"

#include "log.hpp"
#include "mpi/callbacks.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/mpi_objects.hpp"
#include "mpi/operation_functions.hpp"
#include "mpi/recipes.hpp"
#include "mpi/turns.hpp"
#include "never_destroyed.hpp"

namespace cppc::mpi {

namespace {

/// Of Fortran and under an extension by one of ours, which passes on what the program knows the datatype as.
int make_real(MPI_User_function* function, OperationKind kind, MPI_Op* op) {
  const bool as_it_is = !kind.fortran && !comms.managed();
  return PMPI_Op_create(as_it_is ? function : calling(function, kind.fortran), kind.commutes ? 1 : 0, op);
}

}  // namespace

int Operations::create(MPI_User_function* function, OperationKind kind, MPI_Op* op) {
  if (!comms.managed() || op == nullptr || function == nullptr) return make_real(function, kind, op);
  MPI_Op made = MPI_OP_NULL;
  const int status = make_real(function, kind, &made);
  if (status == MPI_SUCCESS) *op = ops_.add(made, {.function = function, .kind = kind});
  return status;
}

int Operations::free(MPI_Op* op) {
  if (op == nullptr || ops_.find(*op) == nullptr) return PMPI_Op_free(op);
  MPI_Op freed = real(*op);
  const int status = PMPI_Op_free(&freed);
  if (status != MPI_SUCCESS) return status;
  ops_.remove(*op);
  *op = MPI_OP_NULL;
  return status;
}

cppc_status Operations::write(ByteWriter& writer) {
  std::uint64_t count = 0;
  ops_.each([&](std::size_t, MPI_Op, const Made&) { ++count; });
  writer.u64(count);
  cppc_status status = CPPC_OK;
  ops_.each([&](std::size_t index, MPI_Op, const Made& made) {
    const std::string name = name_of_function(made.function);
    if (name.empty() && status == CPPC_OK) {
      log().error(
          "an operation of MPI_Op_create cannot be carried over: its function at {:#x} is not one that the "
          "program declares, by cppc_declare()",
          reinterpret_cast<std::uintptr_t>(made.function));
      status = CPPC_ERR_UNSUPPORTED;
    }
    writer.u64(index);
    writer.text(name);
    writer.u8(made.kind.bits());
  });
  return status;
}

std::vector<OperationRecipe> Operations::read(ByteReader& reader) {
  return read_recipes(reader, sizeof(std::uint64_t), [&](std::uint64_t number) {
    const std::string function(reader.text());
    return OperationRecipe{.number = number, .function = function, .kind = OperationKind::of(reader.u8())};
  });
}

cppc_status Operations::make(const std::vector<OperationRecipe>& recipes) {
  const ErrorsReturned errors_returned;
  for (const auto& [number, name, kind] : recipes) {
    MPI_User_function* const function = function_named<MPI_User_function>(name);
    if (function == nullptr) {
      log().error("the image has an operation with function {}(), which this program does not have", name);
      return CPPC_ERR_MISMATCH;
    }
    MPI_Op op = MPI_OP_NULL;
    if (const int status = make_real(function, kind, &op); status != MPI_SUCCESS) {
      log().error("cannot make an operation with function {}() again: {}", name, error_text(status));
      return CPPC_ERR_MPI;
    }
    ops_.put(number, op, {.function = function, .kind = kind});
  }
  return CPPC_OK;
}

Operations& operations() {
  static NeverDestroyed<Operations> instance;
  return *instance;
}

}  // namespace cppc::mpi

using namespace cppc::mpi;

extern "C" {

int MPI_Op_create(MPI_User_function* function, int commutes, MPI_Op* op) {
  const Entry entry;
  return operations().create(function, {.commutes = commutes != 0, .fortran = false}, op);
}

int MPI_Op_free(MPI_Op* op) {
  const Entry entry;
  return comms.managed() ? operations().free(op) : PMPI_Op_free(op);
}

}  // extern "C"
