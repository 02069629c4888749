// FLAGS -O2 -D_GNU_SOURCE
/* Variables of the C library that programs set. */
#include "adversarial.h"
#include <argp.h>
#include <errno.h>
#include <error.h>
#include <getopt.h>
#include <netdb.h>
#include <obstack.h>
#include <regex.h>

static void fail(void) { abort(); }
static void name_program(void) { printf("%d names itself\n", rank); }

int main(int argc, char** argv) {
  start(&argc, &argv);
  opterr = 0;
  optopt = 'q';
  argp_err_exit_status = 77;
  argp_program_version = "version 1";
  argp_program_bug_address = strdup("nobody");
  obstack_alloc_failed_handler = fail;
  obstack_exit_failure = 9;
  re_syntax_options = RE_SYNTAX_EGREP;
  h_errno = TRY_AGAIN;
  error_print_progname = name_program;
  error_one_per_line = 1;
  if (rank == 0) program_invocation_short_name = strdup("short");
  for (int it = 0; it < 10; it++) {
    const double sum = gsum(it);
    error_at_line(0, 0, "file", it, "message");
    printf("%d %d %g %d %d %s %s %d %d %lx %d %d %d %s\n", rank, it, sum, opterr, argp_err_exit_status,
           argp_program_version, argp_program_bug_address, obstack_alloc_failed_handler == fail, obstack_exit_failure,
           re_syntax_options, h_errno, error_message_count, optopt, program_invocation_short_name);
  }
  MPI_Finalize();
  return 0;
}
