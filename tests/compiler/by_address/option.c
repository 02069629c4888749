/* Compiled with -include option.h. */
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const double sum = sum_of(argc, 1000);
  MPI_Finalize();
  return sum < 0;
}
