// FLAGS -O2 -D_GNU_SOURCE
/* The pattern that re_comp() has got; the date that getdate() has found; whether the thread can be cancelled. */
#include "adversarial.h"
#include <pthread.h>
#include <time.h>

extern char* re_comp(const char* pattern);
extern int re_exec(const char* text);

int main(int argc, char** argv) {
  char name[30];
  start(&argc, &argv);
  sprintf(name, "dates%d", rank);
  FILE* masks = fopen(name, "w");
  fputs("%Y-%m-%d %H:%M\n%d.%m.%Y\n", masks);
  fclose(masks);
  setenv("DATEMSK", name, 1);
  struct tm* const date = getdate("2020-07-01 12:30");
  remove(name);
  re_comp("ab*c");
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  for (int it = 0; it < 10; it++) {
    int state, type;
    const double sum = gsum(it);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
    printf("%d %d %g %d %d %d %d %d %d\n", rank, it, sum, re_exec("xabbbcx"), re_exec("nothing"), date->tm_year,
           date->tm_mday, state == PTHREAD_CANCEL_DISABLE, type == PTHREAD_CANCEL_ASYNCHRONOUS);
  }
  MPI_Finalize();
  return 0;
}
