#include "mpi/operations.hpp"

#include "log.hpp"
#include "mpi/callbacks.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/fortran_functions.hpp"
#include "mpi/mpi_objects.hpp"
#include "mpi/recipes.hpp"
#include "never_destroyed.hpp"

namespace cppc::mpi {

namespace {

int make_real(MPI_User_function* function, OperationKind kind, MPI_Op* op) {
  return PMPI_Op_create(kind.fortran ? fortran::calling(function) : function, kind.commutes ? 1 : 0, op);
}

}  // namespace

int Operations::create(MPI_User_function* function, OperationKind kind, MPI_Op* op) {
  const int status = make_real(function, kind, op);
  if (comms.managed() && status == MPI_SUCCESS) ops_.add(*op, {.function = function, .kind = kind});
  return status;
}

int Operations::free(MPI_Op* op) {
  const MPI_Op freed = op != nullptr ? *op : MPI_OP_NULL;
  const int status = PMPI_Op_free(op);
  if (status == MPI_SUCCESS) ops_.remove(freed);
  return status;
}

cppc_status Operations::write(ByteWriter& writer) const {
  writer.u64(ops_.entries().size());
  for (const auto& [number, entry] : ops_.entries()) {
    const char* const name = name_of_function(entry.info.function);
    if (name == nullptr) {
      log().error(
          "an operation of MPI_Op_create cannot be carried over: its function at {:#x} is not one that the "
          "program declares, by cppc_declare()",
          reinterpret_cast<std::uintptr_t>(entry.info.function));
      return CPPC_ERR_UNSUPPORTED;
    }
    writer.u64(number);
    writer.text(name);
    writer.u8(entry.info.kind.bits());
  }
  return CPPC_OK;
}

std::vector<OperationRecipe> Operations::read(ByteReader& reader) {
  return read_recipes(reader, sizeof(std::uint64_t), [&](std::uint64_t number) {
    const std::string function(reader.text());
    return OperationRecipe{.number = number, .function = function, .kind = OperationKind::of(reader.u8())};
  });
}

cppc_status Operations::make(const std::vector<OperationRecipe>& recipes) {
  const ErrorsReturned errors_returned;
  if (!recipes.empty()) ops_.reserve(recipes.back().number + 1);
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
  return operations().create(function, {.commutes = commutes != 0, .fortran = false}, op);
}

int MPI_Op_free(MPI_Op* op) { return comms.managed() ? operations().free(op) : PMPI_Op_free(op); }

}  // extern "C"
