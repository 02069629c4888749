#include "mpi/error_codes.hpp"

#include <mpi.h>

#include <utility>

#include "log.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/mpi_objects.hpp"
#include "mpi/turns.hpp"
#include "never_destroyed.hpp"

namespace cppc::mpi {

namespace {

using Added = ErrorCodes::Added;

/// The number that it has here.
int add(const Added& added, int* number) {
  switch (added.kind) {
    case Added::error_class:
      return PMPI_Add_error_class(number);
    case Added::error_code:
      return PMPI_Add_error_code(added.of_class, number);
    case Added::text:
      *number = added.number;
      return PMPI_Add_error_string(added.number, added.message.c_str());
  }
  return MPI_ERR_INTERN;
}

}  // namespace

void ErrorCodes::write(ByteWriter& writer) const {
  writer.u64(all_.size());
  for (const Added& added : all_) {
    writer.u8(added.kind);
    writer.i32(added.of_class);
    writer.i32(added.number);
    writer.text(added.message);
  }
}

std::vector<Added> ErrorCodes::read(ByteReader& reader) {
  std::vector<Added> all(reader.count(17));
  for (Added& added : all) {
    const std::uint8_t kind = reader.u8();
    if (kind > Added::text) reader.fail();
    added.kind = static_cast<Added::Kind>(kind);
    added.of_class = reader.i32();
    added.number = reader.i32();
    added.message = reader.text();
    if (added.message.size() >= MPI_MAX_ERROR_STRING) reader.fail();
  }
  return all;
}

cppc_status ErrorCodes::make(std::vector<Added> all) {
  const ErrorsReturned errors_returned;
  for (const Added& added : all) {
    int number = 0;
    const int status = add(added, &number);
    if (status == MPI_SUCCESS && number == added.number) continue;
    log().error("the program's error class or code {} cannot be added again: {}", added.number,
                status == MPI_SUCCESS ? "MPI gives it another number here" : error_text(status));
    return CPPC_ERR_MPI;
  }
  all_ = std::move(all);
  return CPPC_OK;
}

ErrorCodes& error_codes() {
  static NeverDestroyed<ErrorCodes> instance;
  return *instance;
}

}  // namespace cppc::mpi

using namespace cppc::mpi;

extern "C" {

int MPI_Add_error_class(int* error_class) {
  const Entry entry;
  const int status = PMPI_Add_error_class(error_class);
  if (status == MPI_SUCCESS && comms.managed())
    error_codes().note({.kind = ErrorCodes::Added::error_class, .of_class = 0, .number = *error_class, .message = {}});
  return status;
}

int MPI_Add_error_code(int error_class, int* error_code) {
  const Entry entry;
  const int status = PMPI_Add_error_code(error_class, error_code);
  if (status == MPI_SUCCESS && comms.managed())
    error_codes().note(
        {.kind = ErrorCodes::Added::error_code, .of_class = error_class, .number = *error_code, .message = {}});
  return status;
}

int MPI_Add_error_string(int error_code, const char* text) {
  const Entry entry;
  const int status = PMPI_Add_error_string(error_code, text);
  if (status == MPI_SUCCESS && comms.managed())
    error_codes().note({.kind = ErrorCodes::Added::text, .of_class = 0, .number = error_code, .message = text});
  return status;
}

}  // extern "C"
