/* Two sockets that are connected with each other. */
#include <sys/socket.h>
#include <unistd.h>

#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  int ends[2], bad = 0;
  bad += socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0;
  for (int it = 0; it < 10; it++) {
    char in = (char)it, out = 100;
    bad += write(ends[1], &in, 1) != 1;
    gsum(it);
    bad += read(ends[0], &out, 1) != 1 || out != in;
  }
  printf("%d bad %d\n", rank, bad);
  MPI_Finalize();
  return 0;
}
