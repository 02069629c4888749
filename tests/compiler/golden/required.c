#include <mpi.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static void handler(int s) { (void)s; }
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (signal(SIGUSR1, handler) == SIG_ERR) return 1;
#pragma cppc execute
  setlocale(LC_ALL, "C");
  FILE *p = popen("echo hi", "r");
  char line[20];
  if (fgets(line, sizeof line, p)) printf("%s", line);
  pclose(p);
  double s = 0;
  for (int i = 0; i < 100000; i++) { s += i; MPI_Allreduce(MPI_IN_PLACE, &s, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }
  printf("%g %d\n", s, signal(SIGUSR1, SIG_DFL) == handler);
  MPI_Finalize();
}
