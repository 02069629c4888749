#include "adversarial.h"
static int a;
static double b[4];
int main(int argc, char **argv) {
  start(&argc, &argv);
  double s = 0;
  a = 5 + rank;
  for (int i = 0; i < 4; i++) b[i] = i + rank;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    MPI_Datatype t;
    int bl[2] = {1, 4};
    MPI_Aint d[2];
    MPI_Datatype ty[2] = {MPI_INT, MPI_DOUBLE};
    MPI_Get_address(&a, &d[0]);
    MPI_Get_address(b, &d[1]);
    MPI_Type_create_struct(2, bl, d, ty, &t);
    MPI_Type_commit(&t);
    char buf[200];
    int pos = 0;
    MPI_Pack(MPI_BOTTOM, 1, t, buf, 200, &pos, MPI_COMM_WORLD);
    MPI_Type_free(&t);
    int x, p2 = 0;
    MPI_Unpack(buf, 200, &p2, &x, 1, MPI_INT, MPI_COMM_WORLD);
    double y[4];
    MPI_Unpack(buf, 200, &p2, y, 4, MPI_DOUBLE, MPI_COMM_WORLD);
    s += x + y[it % 4];
  }
  printf("%d %g\n", rank, s);
  MPI_Finalize();
  return 0;
}
