/* A directory that is read step by step. */
#include <dirent.h>
#include <sys/stat.h>

#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  char folder[32], name[64];
  snprintf(folder, sizeof folder, "opendirs.%d", rank);
  mkdir(folder, 0700);
  for (int i = 0; i < 8; i++) {
    snprintf(name, sizeof name, "%s/%d", folder, i);
    fclose(fopen(name, "w"));
  }
  DIR* directory = opendir(folder);
  int entries = 0, sum = 0;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    const struct dirent* entry = readdir(directory);
    if (entry == NULL) continue;
    entries++;
    sum += atoi(entry->d_name);
  }
  closedir(directory);
  printf("%d %d %d\n", rank, entries, sum);
  MPI_Finalize();
  return 0;
}
