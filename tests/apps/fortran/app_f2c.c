/* What app_f77.f90 is for programs in Fortran 77 that f2c has translated. Lengths of texts come last. */
#include <f2c.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "../hold.h"
#include "../options.h"
#include "../result.h"

enum { NAME_LENGTH = 64, REASON_LENGTH = 256 };

extern int xargc;
extern char** xargv;

static char program[NAME_LENGTH];
static struct usage usage;
static struct hold hold;

static const char help[] =
    "Usage: PROGRAM [--steps N] [--hold FILE --hold-at K]\n"
    "As the program of tests/apps/fortran that f2c has translated.\n"
    "Exit status: 0 right, 1 wrong, 2 wrong usage.\n"
    "Example:\n"
    "  mpirun -n 4 ft_f2c --steps 100\n";

static void copy(char* to, size_t room, const char* from, ftnlen length) {
  snprintf(to, room, "%.*s", (int)length, from);
  for (size_t end = strlen(to); end > 0 && to[end - 1] == ' ';) to[--end] = '\0';
}

int appopt_(char* name, integer* steps, ftnlen length) {
  long number = *steps;
  const struct setting settings[] = {
      {"steps", .number = &number, .least = 1, .most = INT_MAX},
      {"hold", .text = &hold.file},
      {"hold-at", .list = &hold.steps},
  };
  copy(program, sizeof program, name, length);
  const int operand = parse(xargc, xargv, settings, sizeof settings / sizeof *settings, &usage);
  if (operand < xargc) wrong_usage(&usage, "'%s' is one argument too many", xargv[operand]);
  *steps = (integer)number;
  return 0;
}

logical append_(integer* rank, integer* status) {
  (void)rank;
  if (!ends_here(&usage)) return FALSE_;
  *status = explain(&usage, program, help);
  return TRUE_;
}

int apphld_(integer* rank, integer* step) {
  hold_at(&hold, (int)*rank, (long)*step);
  return 0;
}

integer apptel_(doublereal* values, integer* count, integer* communicator, logical* right, char* reason,
                ftnlen length) {
  char why[REASON_LENGTH];
  copy(why, sizeof why, reason, length);
  const uint64_t own = digest_doubles(DIGEST_START, values, (size_t)*count);
  return tell(program, digest_ranks(own, MPI_Comm_f2c((MPI_Fint)*communicator)), *right != 0, "%s", why);
}
