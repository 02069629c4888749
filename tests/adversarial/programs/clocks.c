#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "adversarial.h"
int main(int argc, char **argv) {
  start(&argc, &argv);
  clock_t c0 = clock();
  double t0 = MPI_Wtime();
  struct timespec m0, m;
  clock_gettime(CLOCK_MONOTONIC, &m0);
  struct timespec p0, p;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &p0);
  double burn = 0;
  for (int i = 0; i < 150000000; i++) burn += i * 0.5;
  struct rusage u0, u;
  getrusage(RUSAGE_SELF, &u0);
  clock_t lap = clock();
  int neg = 0, wneg = 0, mneg = 0, pneg = 0, uneg = 0;
  double tl = t0;
  if (burn < 0) neg = 1;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    clock_t c = clock();
    if (c < lap) neg++;
    lap = c;
    double t = MPI_Wtime();
    if (t < tl) wneg++;
    tl = t;
    clock_gettime(CLOCK_MONOTONIC, &m);
    if (m.tv_sec < m0.tv_sec) mneg++;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &p);
    if (p.tv_sec + 1e-9 * p.tv_nsec < p0.tv_sec + 1e-9 * p0.tv_nsec) pneg++;
    getrusage(RUSAGE_SELF, &u);
    if (u.ru_utime.tv_sec + 1e-6 * u.ru_utime.tv_usec < u0.ru_utime.tv_sec + 1e-6 * u0.ru_utime.tv_usec) uneg = 1;
  }
  printf("%d clock back %d wtime back %d mono %d cpu %d usage %d\n", rank, neg, wneg, mneg, pneg, uneg);
  MPI_Finalize();
  return 0;
}
