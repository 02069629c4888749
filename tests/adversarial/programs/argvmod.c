#include "adversarial.h"
extern char **environ;
int main(int argc, char **argv, char **envp) {
  start(&argc, &argv);
  double s = 0;
  char *home = getenv("ADV");
  char *name = strrchr(argv[0], '/');
  name = name ? name + 1 : argv[0];
  argv++;
  argc--;
  if (argc > 1) {
    argv[1][0] = '9';
    argv[0] = "77";
  }
  char **e = envp;
  int n = 0;
  while (*e && n < 3) {
    e++;
    n++;
  }
  setenv("ADVX", "v1", 1);
  char *x = getenv("ADVX");
  for (int it = 0; it < 10; it++) {
    s += gsum(it);
    for (int i = 0; i < argc; i++) s += atof(argv[i]);
    s += name[0];
    s += home ? strlen(home) : 0;
    s += x[1];
    if (it == 5) setenv("ADVX", "v2", 1);
    if (it == 7) s += atoi(getenv("ADVX") + 1);
    s += environ != NULL;
    s += (e[0] != NULL);
  }
  printf("%d %g %s\n", rank, s, getenv("ADVX"));
  MPI_Finalize();
  return 0;
}
