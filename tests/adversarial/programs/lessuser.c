/* Who has become another user is not to be the first one again: refused. Root only can
   become another one. */
#define _GNU_SOURCE
#include <grp.h>
#include <unistd.h>
#include "adversarial.h"

int main(int argc, char** argv) {
  start(&argc, &argv);
  const gid_t groups[] = {7, 9};
  if (setgroups(2, groups) != 0 || setegid(12) != 0 || seteuid(65534) != 0) return 1;
  for (int i = 0; i < 12; ++i) {
    gsum(i);
    printf("%d %d: user %d, group %d, %d others\n", rank, i, (int)geteuid(), (int)getegid(), getgroups(0, NULL));
  }
  if (seteuid(0) != 0) return 1;
  MPI_Finalize();
  return 0;
}
