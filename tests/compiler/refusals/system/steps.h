static inline void steps(int n) {
#pragma cppc checkpoint
  for (int k = 0; k < n; k++) MPI_Barrier(MPI_COMM_WORLD);
}
