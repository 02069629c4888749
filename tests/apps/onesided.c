/* One-sided communication of many kinds: windows over a variable, over the heap and over memory of their own, with
 * fences, with locks that are held all the time, and with epochs of neighbours. One window lives for some steps only.
 *
 * A step lets values diffuse in a ring of cells, whose edges the neighbours put, and exchanges values whose results are
 * known, so that it counts what is wrong.
 *
 * Live at a step's start: the options; the number of the step; rank and number of ranks; windows and groups; the cells;
 * all memory that windows show, even what its rank only writes: others read it; the digest so far.
 * Not live: the cells of the next step. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "hold.h"
#include "options.h"
#include "result.h"

enum { CELLS = 500, BRIEF = 5 };

static const char help[] =
    "Usage: onesided [--steps S] [--hold FILE --hold-at K]\n"
    "Communicates through windows of several kinds in every step, and checks what comes of it.\n"
    "  --steps S    time steps (200)\n"
    "  --hold FILE  at step K (--hold-at K, or several, as 3,7) wait until FILE exists, and remove it\n"
    "Exit status: 0 right, 1 wrong, 2 wrong usage.\n"
    "Example:\n"
    "  mpirun -n 4 onesided --steps 1000\n";

struct options {
  struct usage usage;
  long steps;
  struct hold hold;
};

struct windows {
  int rank, ranks, before, after;
  MPI_Win edges;   /* over `cells`, always in an epoch of fences */
  MPI_Win said;    /* over `words`, which its rank only writes and the others only read */
  MPI_Win tickets; /* its memory is MPI's, and it is locked all the time */
  MPI_Win mail;    /* from the neighbour before, to the one after */
  MPI_Win brief;   /* made every few steps */
  MPI_Group from, to;
  long* words;
  long* drawn; /* [0] the next ticket, on rank 0; [1] the step, for everybody */
  long* box;
};

static double cells[CELLS + 2], next[CELLS + 2];
static long lent;

static long value_of(int rank, long step) { return (7L * rank + 3 * step) % 89; }

/* ---- Making them ---- */

static long* memory_for(size_t count) {
  long* memory = calloc(count, sizeof *memory);
  if (memory == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  return memory;
}

static void make_windows(struct windows* w) {
  MPI_Comm_rank(MPI_COMM_WORLD, &w->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &w->ranks);
  w->before = (w->rank + w->ranks - 1) % w->ranks;
  w->after = (w->rank + 1) % w->ranks;
  for (int i = 1; i <= CELLS; ++i) cells[i] = (w->rank * CELLS + i) % 17;
  w->words = memory_for(2);
  w->words[0] = value_of(w->rank, -1);
  w->box = memory_for(1);
  MPI_Win_create(cells, sizeof cells, sizeof *cells, MPI_INFO_NULL, MPI_COMM_WORLD, &w->edges);
  MPI_Win_create(w->words, 2 * sizeof *w->words, sizeof *w->words, MPI_INFO_NULL, MPI_COMM_WORLD, &w->said);
  MPI_Comm duplicate;
  MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
  MPI_Win_allocate(2 * sizeof(long), sizeof(long), MPI_INFO_NULL, duplicate, &w->drawn, &w->tickets);
  MPI_Comm_free(&duplicate);
  MPI_Win_create(w->box, sizeof *w->box, sizeof *w->box, MPI_INFO_NULL, MPI_COMM_WORLD, &w->mail);
  MPI_Group all;
  MPI_Win_get_group(w->mail, &all);
  MPI_Group_incl(all, 1, &w->before, &w->from);
  MPI_Group_incl(all, 1, &w->after, &w->to);
  MPI_Group_free(&all);
  w->brief = MPI_WIN_NULL;
  w->drawn[0] = w->drawn[1] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_fence(0, w->edges);
  MPI_Win_lock_all(0, w->tickets);
}

static void release_windows(struct windows* w) {
  MPI_Win_fence(MPI_MODE_NOSUCCEED, w->edges);
  MPI_Win_unlock_all(w->tickets);
  if (w->brief != MPI_WIN_NULL) MPI_Win_free(&w->brief);
  MPI_Win_free(&w->edges);
  MPI_Win_free(&w->said);
  MPI_Win_free(&w->tickets);
  MPI_Win_free(&w->mail);
  MPI_Group_free(&w->from);
  MPI_Group_free(&w->to);
  free(w->words);
  free(w->box);
}

/* ---- Using them: each returns how much is wrong ---- */

static void diffuse(const struct windows* w) {
  MPI_Put(&cells[1], 1, MPI_DOUBLE, w->before, CELLS + 1, 1, MPI_DOUBLE, w->edges);
  MPI_Put(&cells[CELLS], 1, MPI_DOUBLE, w->after, 0, 1, MPI_DOUBLE, w->edges);
  MPI_Win_fence(0, w->edges);
  for (int i = 1; i <= CELLS; ++i) next[i] = 0.25 * cells[i - 1] + 0.5 * cells[i] + 0.25 * cells[i + 1];
  for (int i = 1; i <= CELLS; ++i) cells[i] = next[i];
  MPI_Win_fence(0, w->edges);
}

static int use_said(struct windows* w, long step) {
  long got = -1;
  MPI_Win_fence(0, w->said);
  MPI_Get(&got, 1, MPI_LONG, w->after, 0, 1, MPI_LONG, w->said);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, w->said);
  w->words[0] = value_of(w->rank, step);
  return got != value_of(w->after, step - 1);
}

/* Everybody draws a ticket, and tells the next one the step. */
static int use_tickets(struct windows* w, long step) {
  long one = 1, ticket = -1, sum = -1, told = -1;
  MPI_Request request;
  MPI_Fetch_and_op(&one, &ticket, MPI_LONG, 0, 0, MPI_SUM, w->tickets);
  MPI_Accumulate(&step, 1, MPI_LONG, w->after, 1, 1, MPI_LONG, MPI_REPLACE, w->tickets);
  MPI_Win_flush_all(w->tickets);
  MPI_Allreduce(&ticket, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  MPI_Rget(&told, 1, MPI_LONG, w->before, 1, 1, MPI_LONG, w->tickets, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  const long first = step * w->ranks;
  return (sum != first * w->ranks + w->ranks * (w->ranks - 1L) / 2) + (told != step);
}

static int use_mail(struct windows* w, long step) {
  const long letter = value_of(w->rank, step);
  MPI_Win_post(w->from, 0, w->mail);
  MPI_Win_start(w->to, 0, w->mail);
  MPI_Put(&letter, 1, MPI_LONG, w->after, 0, 1, MPI_LONG, w->mail);
  MPI_Win_complete(w->mail);
  MPI_Win_wait(w->mail);
  return *w->box != value_of(w->before, step);
}

static int use_brief(struct windows* w, long step) {
  if (step % BRIEF == 0) {
    lent = step;
    MPI_Win_create(&lent, sizeof lent, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w->brief);
  }
  long got = -1;
  MPI_Win_lock(MPI_LOCK_SHARED, w->before, 0, w->brief);
  MPI_Get(&got, 1, MPI_LONG, w->before, 0, 1, MPI_LONG, w->brief);
  MPI_Win_unlock(w->before, w->brief);
  if (step % BRIEF == BRIEF - 1) MPI_Win_free(&w->brief);
  return got != step - step % BRIEF;
}

static double sum_of_cells(void) {
  double here = 0, everywhere = 0;
  for (int i = 1; i <= CELLS; ++i) here += cells[i];
  MPI_Allreduce(&here, &everywhere, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return everywhere;
}

/* ---- The program ---- */

static int use_and_check(const struct options* options) {
  struct windows windows;
  make_windows(&windows);
  const double sum = sum_of_cells();
  long wrong = 0;
  uint64_t digest = DIGEST_START;
  for (long step = 0; step < options->steps; ++step) {
    hold_at(&options->hold, windows.rank, step);
    diffuse(&windows);
    long here = use_said(&windows, step), everywhere = 0;
    here += use_tickets(&windows, step);
    here += use_mail(&windows, step);
    here += use_brief(&windows, step);
    MPI_Allreduce(&here, &everywhere, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    wrong += everywhere;
    digest = digest_doubles(digest, &cells[1], CELLS);
  }
  wrong += fabs(sum_of_cells() - sum) > 1e-9 * sum;
  const int status = tell("onesided", digest_ranks(digest, MPI_COMM_WORLD), wrong == 0, "%ld times", wrong);
  release_windows(&windows);
  return status;
}

static void parse_options(int argc, char** argv, struct options* options) {
  const struct setting settings[] = {
      {"steps", .number = &options->steps, .least = 0, .most = 1000000000},
      {"hold", .text = &options->hold.file},
      {"hold-at", .list = &options->hold.steps},
  };
  *options = (struct options){.steps = 200};
  const int operand = parse(argc, argv, settings, sizeof settings / sizeof *settings, &options->usage);
  if (operand < argc) wrong_usage(&options->usage, "'%s' is one argument too many", argv[operand]);
}

int main(int argc, char** argv) {
  struct options options;
  parse_options(argc, argv, &options);
  MPI_Init(&argc, &argv);
  const int status = ends_here(&options.usage) ? explain(&options.usage, "onesided", help) : use_and_check(&options);
  MPI_Finalize();
  return status;
}
