#include "adversarial.h"
extern char** environ;
int main(int argc, char** argv) {
  start(&argc, &argv);
  static char mine[32] = "MINE=0";
  putenv(mine);
  setenv("OTHER", "one", 1);
  char* p = getenv("OTHER");
  char* adv = getenv("ADV");
  for (int i = 0; i < 12; ++i) {
    gsum(i);
    mine[5] = 'a' + i;
    char b[16];
    sprintf(b, "v%d", i);
    printf("%d %d %s %s %s %s\n", rank, i, getenv("MINE"), getenv("OTHER"), p, adv);
    setenv(b, b, 1);
    if (i == 5) unsetenv("ADV");
    int n = 0;
    for (char** e = environ; *e; ++e) n += (*e)[0] == 'v';
    printf("%d %d\n", rank, n);
  }
  clearenv();
  printf("%d\n", getenv("OTHER") == NULL);
  MPI_Finalize();
  return 0;
}
