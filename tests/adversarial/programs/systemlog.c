/* What openlog() and setlogmask() have said. */
#include "adversarial.h"
#include <syslog.h>
#include <unistd.h>

int main(int argc, char** argv) {
  char name[30], line[200];
  start(&argc, &argv);
  openlog("program", LOG_PERROR, LOG_USER);
  setlogmask(LOG_UPTO(LOG_WARNING));
  for (int it = 0; it < 10; it++) printf("%d %d %g %x\n", rank, it, gsum(it), setlogmask(0));
  sprintf(name, "messages%d", rank);
  if (freopen(name, "w", stderr) == NULL) return 1;
  syslog(LOG_ERR, "an error");
  syslog(LOG_INFO, "not to be seen");
  fflush(stderr);
  FILE* read = fopen(name, "r");
  while (fgets(line, sizeof line, read)) printf("%d %s", rank, line);
  fclose(read);
  remove(name);
  MPI_Finalize();
  return 0;
}
