/* The domain of the program's messages, and where they are. */
#include "adversarial.h"
#include <libintl.h>
#include <locale.h>

int main(int argc, char** argv) {
  start(&argc, &argv);
  setlocale(LC_ALL, "C.UTF-8");
  textdomain("program");
  bindtextdomain("program", "/usr/share/program");
  bind_textdomain_codeset("program", "UTF-8");
  for (int it = 0; it < 10; it++)
    printf("%d %d %g %s %s %s\n", rank, it, gsum(it), textdomain(NULL), bindtextdomain("program", NULL),
           bind_textdomain_codeset("program", NULL));
  MPI_Finalize();
  return 0;
}
