/* For programs in C++: MPI's own header, and those that come with Open MPI's classes for C++, which the wrappers leave
 * out. Programs use what is in these without including them. */
#pragma GCC system_header
#include_next <mpi.h>

#if defined(__cplusplus) && defined(OMPI_SKIP_MPICXX)
extern "C++" {
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <iostream>
#include <map>
#include <utility>
}
#endif
