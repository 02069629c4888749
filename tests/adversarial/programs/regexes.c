/* A compiled regular expression, and one of the C library's conversions. */
#include <regex.h>

#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  regex_t pattern;
  regcomp(&pattern, "^step ([0-9]+) of (.*)$", REG_EXTENDED);
  long sum = 0;
  for (int it = 0; it < 10; it++) {
    char line[64];
    regmatch_t parts[3];
    gsum(it);
    snprintf(line, sizeof line, "step %d of rank %d", it, rank);
    if (regexec(&pattern, line, 3, parts, 0) == 0)
      sum += atoi(line + parts[1].rm_so) + (line[parts[2].rm_eo - 1] - '0');
  }
  regfree(&pattern);
  printf("%d %ld\n", rank, sum);
  MPI_Finalize();
  return 0;
}
