// The functions that generate has written.
#include <mpi.h>

#include "arguments.hpp"

using namespace cppc::mpich;

extern "C" {
#include "functions.inc"
}
