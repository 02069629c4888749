#include "adversarial.h"
#include <glob.h>
#include <wordexp.h>
#include <fnmatch.h>
int main(int argc, char** argv) {
  start(&argc, &argv);
  glob_t g;
  glob("/usr/include/std*.h", 0, NULL, &g);
  wordexp_t we;
  wordexp("a b $HOME ~ c*d", &we, 0);
  for (int i = 0; i < 12; ++i) {
    gsum(i);
    printf("%d %d %s %s %d\n", rank, i, g.gl_pathv[i % g.gl_pathc], we.we_wordv[i % we.we_wordc],
           fnmatch("a*", "abc", 0));
  }
  globfree(&g);
  wordfree(&we);
  MPI_Finalize();
  return 0;
}
