/* The environment, from the third argument of main() and from getenv(). */
#include "adversarial.h"
int main(int argc, char** argv, char** envp) {
  start(&argc, &argv);
  const char* name = "OMPI_COMM_WORLD_SIZE=";
  const char* home = getenv("HOME");
  int found = 0, changed = 0;
  char* first = strdup(envp[0]);
  for (int it = 0; it < 10; it++) {
    gsum(it);
    for (char** entry = envp; *entry != NULL; entry++) found += strncmp(*entry, name, strlen(name)) == 0;
    changed += strcmp(first, envp[0]) != 0 || home == NULL || home[0] != '/';
  }
  printf("%d %d %d\n", rank, found, changed);
  MPI_Finalize();
  return 0;
}
