#include <mpi.h>

void start(void);
void start(void) { MPI_Init(NULL, NULL); }
