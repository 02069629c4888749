/// The descriptors of the basic types.
#include <mpi.h>

#include <cstddef>

#include "cppc/cppc.h"

namespace {

constexpr cppc_type scalar(cppc_kind kind, std::size_t size, const char* name) {
  return {kind, size, name, nullptr, 0};
}

constexpr cppc_kind char_kind = static_cast<char>(-1) < 0 ? CPPC_SIGNED : CPPC_UNSIGNED;

}  // namespace

extern "C" {

const cppc_type cppc_type_bytes = scalar(CPPC_BYTES, 1, "bytes");
const cppc_type cppc_type_char = scalar(char_kind, sizeof(char), "char");
const cppc_type cppc_type_signed_char = scalar(CPPC_SIGNED, sizeof(signed char), "signed char");
const cppc_type cppc_type_unsigned_char = scalar(CPPC_UNSIGNED, sizeof(unsigned char), "unsigned char");
const cppc_type cppc_type_short = scalar(CPPC_SIGNED, sizeof(short), "short");
const cppc_type cppc_type_unsigned_short = scalar(CPPC_UNSIGNED, sizeof(unsigned short), "unsigned short");
const cppc_type cppc_type_int = scalar(CPPC_SIGNED, sizeof(int), "int");
const cppc_type cppc_type_unsigned_int = scalar(CPPC_UNSIGNED, sizeof(unsigned int), "unsigned int");
const cppc_type cppc_type_long = scalar(CPPC_SIGNED, sizeof(long), "long");
const cppc_type cppc_type_unsigned_long = scalar(CPPC_UNSIGNED, sizeof(unsigned long), "unsigned long");
const cppc_type cppc_type_long_long = scalar(CPPC_SIGNED, sizeof(long long), "long long");
const cppc_type cppc_type_unsigned_long_long = scalar(CPPC_UNSIGNED, sizeof(unsigned long long), "unsigned long long");
const cppc_type cppc_type_bool = scalar(CPPC_UNSIGNED, sizeof(bool), "bool");
const cppc_type cppc_type_float = scalar(CPPC_FLOAT, sizeof(float), "float");
const cppc_type cppc_type_double = scalar(CPPC_FLOAT, sizeof(double), "double");
const cppc_type cppc_type_long_double = scalar(CPPC_FLOAT, sizeof(long double), "long double");
const cppc_type cppc_type_float_complex = scalar(CPPC_COMPLEX, 2 * sizeof(float), "float complex");
const cppc_type cppc_type_double_complex = scalar(CPPC_COMPLEX, 2 * sizeof(double), "double complex");
const cppc_type cppc_type_pointer = scalar(CPPC_POINTER, sizeof(void*), "pointer");
const cppc_type cppc_type_function = scalar(CPPC_FUNCTION, sizeof(void (*)(void)), "function");
const cppc_type cppc_type_mpi_comm = scalar(CPPC_MPI_COMM, sizeof(MPI_Comm), "MPI_Comm");
const cppc_type cppc_type_mpi_datatype = scalar(CPPC_MPI_DATATYPE, sizeof(MPI_Datatype), "MPI_Datatype");
const cppc_type cppc_type_mpi_op = scalar(CPPC_MPI_OP, sizeof(MPI_Op), "MPI_Op");
const cppc_type cppc_type_mpi_group = scalar(CPPC_MPI_GROUP, sizeof(MPI_Group), "MPI_Group");
const cppc_type cppc_type_mpi_request = scalar(CPPC_MPI_REQUEST, sizeof(MPI_Request), "MPI_Request");
const cppc_type cppc_type_mpi_info = scalar(CPPC_MPI_INFO, sizeof(MPI_Info), "MPI_Info");
const cppc_type cppc_type_mpi_errhandler = scalar(CPPC_MPI_ERRHANDLER, sizeof(MPI_Errhandler), "MPI_Errhandler");
const cppc_type cppc_type_file = scalar(CPPC_FILE, sizeof(FILE*), "FILE*");
const cppc_type cppc_type_mpi_file = scalar(CPPC_MPI_FILE, sizeof(MPI_File), "MPI_File");
const cppc_type cppc_type_mpi_win = scalar(CPPC_MPI_WIN, sizeof(MPI_Win), "MPI_Win");
const cppc_type cppc_type_mpi_message = scalar(CPPC_MPI_MESSAGE, sizeof(MPI_Message), "MPI_Message");
}
