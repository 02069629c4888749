#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SETTINGS = 16, HELP = 1000, FIRST_SETTING = 1001 };

void wrong_usage(struct usage* usage, const char* format, ...) {
  if (usage->error[0] != '\0') return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(usage->error, sizeof usage->error, format, arguments);
  va_end(arguments);
}

static void read_number(const struct setting* setting, const char* text, struct usage* usage) {
  char* end = NULL;
  errno = 0;
  const long number = strtol(text, &end, 10);
  if (errno != 0 || end == text || *end != '\0' || number < setting->least || number > setting->most) {
    wrong_usage(usage, "--%s wants a whole number from %ld to %ld, not '%s'", setting->name, setting->least,
                setting->most, text);
    return;
  }
  *setting->number = number;
}

static void read_list(const struct setting* setting, const char* text, struct usage* usage) {
  *setting->list = text;
  for (const char* next = text; isdigit((unsigned char)*next); ++next) {
    next += strspn(next, "0123456789");
    if (*next == '\0') return;
    if (*next != ',') break;
  }
  wrong_usage(usage, "--%s wants whole numbers, as 3,7,12, not '%s'", setting->name, text);
}

static void apply(const struct setting* setting, const char* text, struct usage* usage) {
  if (setting->flag != NULL) *setting->flag = true;
  if (setting->text != NULL) *setting->text = text;
  if (setting->list != NULL) read_list(setting, text, usage);
  if (setting->number != NULL) read_number(setting, text, usage);
}

int parse(int argc, char** argv, const struct setting* settings, int count, struct usage* usage) {
  struct option known[MAX_SETTINGS + 2] = {{"help", no_argument, NULL, HELP}};
  for (int i = 0; i < count && i < MAX_SETTINGS; ++i) {
    const int argument = settings[i].flag != NULL ? no_argument : required_argument;
    known[i + 1] = (struct option){settings[i].name, argument, NULL, FIRST_SETTING + i};
  }
  opterr = 0;
  for (int met; (met = getopt_long(argc, argv, ":", known, NULL)) != -1;) {
    if (met == '?') {
      wrong_usage(usage, "there is no option %s", argv[optind - 1]);
    } else if (met == ':') {
      wrong_usage(usage, "%s needs a value", argv[optind - 1]);
    } else if (met == HELP) {
      usage->help = true;
    } else {
      apply(&settings[met - FIRST_SETTING], optarg, usage);
    }
  }
  return optind;
}

bool ends_here(const struct usage* usage) { return usage->help || usage->error[0] != '\0'; }

int explain(const struct usage* usage, const char* program, const char* help) {
  const bool wrong = !usage->help;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0 && wrong) fprintf(stderr, "%s: %s; see %s --help\n", program, usage->error, program);
  if (rank == 0 && !wrong) fputs(help, stdout);
  return wrong ? 2 : 0;
}
