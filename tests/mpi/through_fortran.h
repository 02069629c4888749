/* The functions of MPI by way of those for Fortran: through_fortran.cpp. through_rows.h, which the build makes of
 * cppc/mpi/fortran.def, has those that have no lists of handles. */
#pragma once

#include <mpi.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* MPI_Attr_delete and its like */
#include "through_rows.h"

int through_init(int*, char***);
int through_startall(int, MPI_Request*);
int through_waitall(int, MPI_Request*, MPI_Status*);
int through_testall(int, MPI_Request*, int*, MPI_Status*);
int through_waitany(int, MPI_Request*, int*, MPI_Status*);
int through_testany(int, MPI_Request*, int*, int*, MPI_Status*);
int through_waitsome(int, MPI_Request*, int*, int*, MPI_Status*);
int through_testsome(int, MPI_Request*, int*, int*, MPI_Status*);
int through_struct(int, const int*, const MPI_Aint*, const MPI_Datatype*, MPI_Datatype*);
int through_contents(MPI_Datatype, int, int, int, int*, MPI_Aint*, MPI_Datatype*);
int through_alltoallw(const void*, const int*, const int*, const MPI_Datatype*, void*, const int*, const int*,
                      const MPI_Datatype*, MPI_Comm);
int through_ialltoallw(const void*, const int*, const int*, const MPI_Datatype*, void*, const int*, const int*,
                       const MPI_Datatype*, MPI_Comm, MPI_Request*);
int through_op_create(MPI_User_function*, int, MPI_Op*);
int through_info_get(MPI_Info, const char*, int, char*, int*);

#define MPI_Init through_init
#define MPI_Startall through_startall
#define MPI_Waitall through_waitall
#define MPI_Testall through_testall
#define MPI_Waitany through_waitany
#define MPI_Testany through_testany
#define MPI_Waitsome through_waitsome
#define MPI_Testsome through_testsome
#define MPI_Type_create_struct through_struct
#define MPI_Type_get_contents through_contents
#define MPI_Alltoallw through_alltoallw
#define MPI_Ialltoallw through_ialltoallw
#define MPI_Info_get through_info_get
#define MPI_Op_create through_op_create
