#include "adversarial.h"
#include <arpa/inet.h>
#include <grp.h>
#include <netdb.h>
#include <pwd.h>
#include <unistd.h>
/* What the C library has looked up, and still shows where it was. */
int main(int argc, char** argv) {
  start(&argc, &argv);
  struct passwd* user = getpwuid(getuid());
  struct group* group = getgrgid(getgid());
  struct servent* service = getservbyname("ssh", "tcp");
  struct protoent* protocol = getprotobyname("tcp");
  struct hostent* host = gethostbyname("localhost");
  struct in_addr address = {.s_addr = htonl(0x7f000001)};
  char* text = inet_ntoa(address);
  for (int i = 0; i < 12; ++i) {
    gsum(i);
    printf("%d %d %s %s %s\n", rank, i, user->pw_name, user->pw_dir, group->gr_name);
    printf("%s %s\n", service ? service->s_name : "-", protocol ? protocol->p_name : "-");
    printf("%s %s\n", host ? host->h_name : "-", text);
  }
  MPI_Finalize();
  return 0;
}
