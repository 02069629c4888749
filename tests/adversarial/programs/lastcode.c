/* MPI_LASTUSEDCODE grows with each code that the program adds. */
#include "adversarial.h"

int main(int argc, char** argv) {
  start(&argc, &argv);
  for (int it = 0; it < 10; it++) {
    int class, code, found, *last;
    gsum(1);
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &found);
    printf("%d %d %d %d\n", rank, it, found, *last - code);
  }
  MPI_Finalize();
  return 0;
}
