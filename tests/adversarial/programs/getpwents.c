#include "adversarial.h"
#include <pwd.h>
#include <grp.h>
#include <netdb.h>
#include <unistd.h>
int main(int argc, char** argv) {
  start(&argc, &argv);
  struct passwd* p = getpwuid(0);
  char host[256];
  gethostname(host, sizeof host);
  struct servent* s = getservbyname("ssh", "tcp");
  setpwent();
  struct passwd* q;
  for (int i = 0; i < 12; ++i) {
    gsum(i);
    q = getpwent();
    printf("%d %d %s %s %d\n", rank, i, p ? p->pw_dir : "-", q ? q->pw_name : "-", s != NULL);
    p = getpwuid(0);
  }
  endpwent();
  MPI_Finalize();
  return 0;
}
