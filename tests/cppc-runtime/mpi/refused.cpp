/// refused FUNCTION: a program that calls one function which cannot be migrated. With SPARE in its environment, one
/// process is a replacement, which must not communicate yet, and does so.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>

#include "test_world.hpp"

const int cppc::test::moved_rank = std::getenv("SPARE") == nullptr ? -1 : 0;

extern "C" {
void mpi_comm_create_keyval_(void* copy, void* erase, MPI_Fint* key, void* extra, MPI_Fint* error);
}

namespace {

MPI_File file;
MPI_Comm comm;
MPI_Fint key, error;
int provided;

const std::map<std::string, std::function<void()>> calls{
    {"MPI_MODE_SEQUENTIAL",
     [] {
       const int mode = MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL;
       MPI_File_open(MPI_COMM_SELF, "/dev/null", mode, MPI_INFO_NULL, &file);
     }},
    {"MPI_Comm_spawn",
     [] { MPI_Comm_spawn("true", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm, MPI_ERRCODES_IGNORE); }},
    {"MPI_T_init_thread", [] { MPI_T_init_thread(MPI_THREAD_SINGLE, &provided); }},
    {"mpi_comm_create_keyval", [] { mpi_comm_create_keyval_(nullptr, nullptr, &key, nullptr, &error); }},
};

}  // namespace

int main(int argc, char** argv) {
  const auto call = argc == 2 ? calls.find(argv[1]) : calls.end();
  if (call == calls.end()) {
    std::fprintf(stderr, "usage: refused FUNCTION\n");
    return 2;
  }
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  call->second();
  MPI_Barrier(MPI_COMM_WORLD);
  std::puts("went on");
  MPI_Finalize();
  return 0;
}
