#include "mpi/attached_buffer.hpp"

#include <mpi.h>

#include <array>
#include <cstddef>

#include "log.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/kept.hpp"
#include "mpi/mpi_objects.hpp"
#include "mpi/turns.hpp"

namespace cppc::mpi {

namespace {

struct AttachedBuffer {
  void* buffer;
  int size;
};

constexpr std::array buffer_fields{
    cppc_field{"buffer", offsetof(AttachedBuffer, buffer), &cppc_type_pointer, 1},
    cppc_field{"size", offsetof(AttachedBuffer, size), &cppc_type_int, 1},
};
constexpr cppc_type buffer_type = {CPPC_STRUCT, sizeof(AttachedBuffer), "buffer of MPI_Buffer_attach",
                                   buffer_fields.data(), buffer_fields.size()};

constinit AttachedBuffer* attached = nullptr;  // in the tracked heap

}  // namespace

void write_attached_buffer(ByteWriter& writer) { writer.u64(attached != nullptr ? BlockNumbers().of(attached) : 0); }

cppc_status attach_again(std::uint64_t block) {
  if (block == 0) return CPPC_OK;
  attached = BlockNumbers().at<AttachedBuffer>(block, buffer_type);
  if (attached == nullptr) return CPPC_ERR_IMAGE;
  const ErrorsReturned errors_returned;
  const int status = PMPI_Buffer_attach(attached->buffer, attached->size);
  if (status == MPI_SUCCESS) return CPPC_OK;
  log().error("cannot attach the program's buffer again: MPI_Buffer_attach: {}", error_text(status));
  return CPPC_ERR_MPI;
}

}  // namespace cppc::mpi

using namespace cppc::mpi;

extern "C" {

int MPI_Buffer_attach(void* buffer, int size) {
  const Entry entry;
  const int status = PMPI_Buffer_attach(buffer, size);
  if (comms.managed() && status == MPI_SUCCESS) {
    attached = keep(buffer_type, AttachedBuffer{.buffer = buffer, .size = size});
  }
  return status;
}

int MPI_Buffer_detach(void* buffer, int* size) {
  const Entry entry;
  const int status = PMPI_Buffer_detach(buffer, size);
  if (attached != nullptr && status == MPI_SUCCESS) {
    release_carried(attached);
    attached = nullptr;
  }
  return status;
}

}  // extern "C"
