/* The mask of new files, and the working directory. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  char folder[32], name[16];
  struct stat status;
  int right = 0;
  snprintf(folder, sizeof folder, "umasks.%d", rank);
  mkdir(folder, 0700);
  if (chdir(folder) != 0) printf("no folder %s\n", folder);
  umask(027);
  for (int it = 0; it < 10; it++) {
    gsum(it);
    snprintf(name, sizeof name, "%d", it);
    close(open(name, O_WRONLY | O_CREAT, 0666));
    right += stat(name, &status) == 0 && (status.st_mode & 0777) == 0640;
  }
  printf("%d %d\n", rank, right);
  MPI_Finalize();
  return 0;
}
