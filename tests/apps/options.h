/* Command line of the test programs. Each rank parses the same arguments; rank 0 alone speaks about them. */
#pragma once

#include <stdbool.h>

/* What to do with one option: exactly one of the four pointers is set. */
struct setting {
  const char* name; /* without the dashes */
  bool* flag;       /* set when the option is given */
  const char** text;
  const char** list; /* whole numbers, not negative, as 3,7,12 */
  long* number; /* a whole number from `least` to `most` */
  long least, most;
};

struct usage {
  bool help;       /* --help was given */
  char error[256]; /* what is wrong with the command line; empty when nothing is */
};

/* Parses the options, of which `settings` holds `count`. Returns the index in argv of the first operand (argv may have
 * been permuted). Errors are noted in `usage`. */
int parse(int argc, char** argv, const struct setting* settings, int count, struct usage* usage);

/* Notes an error, printf-like, unless there is one already. */
void wrong_usage(struct usage* usage, const char* format, ...) __attribute__((format(printf, 2, 3)));

/* Whether the program has to end without working. */
bool ends_here(const struct usage* usage);

/* After MPI_Init: rank 0 prints the help text, or the error to stderr. Returns the exit status: 0, or 2 for an error.
 */
int explain(const struct usage* usage, const char* program, const char* help);
