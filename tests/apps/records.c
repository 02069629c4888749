/* Files of MPI that are open all the time and written and read in every step: one of rows, through a view of each
 * rank's columns, and a log with a shared position.
 *
 * A step writes a row, reads back what the rank wrote in the row before, and adds a line to the log. In the end
 * everybody reads everything.
 *
 * Live at a step's start: the options; the number of the step; both files; rank and number of ranks; the digest so far.
 * Not live: the rows that are written and read. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hold.h"
#include "options.h"
#include "result.h"

enum { COLUMNS = 3, PATH = 4096 };

static const char help[] =
    "Usage: records [--steps S | --until FILE] [--file FILE] [--hold FILE --hold-at K]\n"
    "Writes a row into a file and a line into a log in every step, and checks what is in them.\n"
    "  --steps S    time steps (200)\n"
    "  --until FILE steps until FILE exists\n"
    "  --file FILE  writes FILE.rows and FILE.log (both in a temporary directory, and removed in the end)\n"
    "  --hold FILE  at step K (--hold-at K, or several, as 3,7) wait until FILE exists, and remove it\n"
    "Exit status: 0 right, 1 wrong, 2 wrong usage.\n"
    "Example:\n"
    "  mpirun -n 4 records --steps 1000\n";

struct options {
  struct usage usage;
  long steps;
  const char* until;
  const char* file;
  struct hold hold;
};

struct files {
  int rank, ranks;
  MPI_File rows; /* the position of each rank in its own columns */
  MPI_File log;
};

/* ---- Opening them ---- */

static void choose_path(const struct options* options, int rank, char* path) {
  memset(path, 0, PATH);
  if (options->file != NULL) {
    snprintf(path, PATH, "%s", options->file);
  } else if (rank == 0) {
    const char* directory = getenv("TMPDIR");
    snprintf(path, PATH, "%s/records-XXXXXX", directory != NULL ? directory : "/tmp");
    const int made = mkstemp(path);
    if (made < 0) MPI_Abort(MPI_COMM_WORLD, 1);
    close(made);
    unlink(path);
  }
  MPI_Bcast(path, PATH, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static MPI_File open_new(const char* path, const char* suffix, int temporary) {
  char name[PATH + 8];
  MPI_File file;
  const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | (temporary ? MPI_MODE_DELETE_ON_CLOSE : 0);
  snprintf(name, sizeof name, "%s%s", path, suffix);
  if (MPI_File_open(MPI_COMM_WORLD, name, mode, MPI_INFO_NULL, &file) != MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_File_set_size(file, 0);
  MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
  return file;
}

static void open_files(struct files* f, const struct options* options) {
  char path[PATH];
  MPI_Datatype columns;
  MPI_Comm_rank(MPI_COMM_WORLD, &f->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &f->ranks);
  choose_path(options, f->rank, path);
  f->rows = open_new(path, ".rows", options->file == NULL);
  f->log = open_new(path, ".log", options->file == NULL);
  const int sizes = COLUMNS * f->ranks, own = COLUMNS, first = COLUMNS * f->rank;
  MPI_Type_create_subarray(1, &sizes, &own, &first, MPI_ORDER_C, MPI_INT, &columns);
  MPI_Type_commit(&columns);
  MPI_File_set_view(f->rows, 0, MPI_INT, columns, "native", MPI_INFO_NULL);
  MPI_Type_free(&columns);
  MPI_File_set_view(f->log, 0, MPI_LONG, MPI_LONG, "native", MPI_INFO_NULL);
}

/* ---- Using them: each returns how much is wrong ---- */

static int value_at(long step, int rank, int column) { return (int)(step % 100000 * 1000) + rank * COLUMNS + column; }

static void write_row(const struct files* f, long step) {
  int row[COLUMNS];
  MPI_Request request;
  for (int c = 0; c < COLUMNS; ++c) row[c] = value_at(step, f->rank, c);
  if (step % 3 == 0) MPI_File_write_all(f->rows, row, COLUMNS, MPI_INT, MPI_STATUS_IGNORE);
  if (step % 3 == 1) MPI_File_write(f->rows, row, COLUMNS, MPI_INT, MPI_STATUS_IGNORE);
  if (step % 3 != 2) return;
  MPI_File_iwrite(f->rows, row, COLUMNS, MPI_INT, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* What this rank wrote before, perhaps on another node. */
static int read_row(const struct files* f, long step) {
  int row[COLUMNS] = {0}, wrong = 0;
  MPI_File_read_at_all_begin(f->rows, step * COLUMNS, row, COLUMNS, MPI_INT);
  MPI_File_read_at_all_end(f->rows, row, MPI_STATUS_IGNORE);
  for (int c = 0; c < COLUMNS; ++c) wrong += row[c] != value_at(step, f->rank, c);
  return wrong;
}

static int use_positions(const struct files* f, long step) {
  MPI_Offset own = -1, shared = -1;
  MPI_File_get_position(f->rows, &own);
  MPI_File_get_position_shared(f->log, &shared);
  return (own != step * COLUMNS) + (shared != step * f->ranks);
}

static int use(const struct files* f, long step) {
  int wrong = use_positions(f, step);
  const long line = step * f->ranks + f->rank;
  write_row(f, step);
  if (step > 0) wrong += read_row(f, step - 1);
  MPI_File_write_ordered(f->log, &line, 1, MPI_LONG, MPI_STATUS_IGNORE);
  return wrong;
}

/* Everything, once all have written everything. */
static int check_all(const struct files* f, long steps, uint64_t* digest) {
  int wrong = 0;
  MPI_File_sync(f->rows);
  MPI_File_sync(f->log);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_set_view(f->rows, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  for (long i = 0; i < steps * f->ranks; ++i) {
    int row[COLUMNS] = {0};
    long line = -1;
    MPI_File_read(f->rows, row, COLUMNS, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at(f->log, i, &line, 1, MPI_LONG, MPI_STATUS_IGNORE);
    wrong += line != i;
    for (int c = 0; c < COLUMNS; ++c) {
      wrong += row[c] != value_at(i / f->ranks, (int)(i % f->ranks), c);
      *digest = digest_word(*digest, (uint64_t)row[c]);
    }
  }
  return wrong;
}

/* ---- The program ---- */

/* Rank 0 says so, since the file may appear while the ranks ask. */
static int goes_on(const struct options* options, const struct files* f, long step) {
  if (options->until == NULL) return step < options->steps;
  int answer = f->rank == 0 && access(options->until, F_OK) != 0;
  MPI_Bcast(&answer, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return answer;
}

static int write_and_check(const struct options* options) {
  struct files files;
  open_files(&files, options);
  long wrong = 0;
  uint64_t digest = DIGEST_START;
  long step = 0;
  for (; goes_on(options, &files, step); ++step) {
    hold_at(&options->hold, files.rank, step);
    long here = use(&files, step), everywhere = 0;
    MPI_Allreduce(&here, &everywhere, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    wrong += everywhere;
  }
  long here = check_all(&files, step, &digest), everywhere = 0;
  MPI_Allreduce(&here, &everywhere, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  wrong += everywhere;
  const int status = tell("records", digest_ranks(digest, MPI_COMM_WORLD), wrong == 0, "%ld times", wrong);
  MPI_File_close(&files.rows);
  MPI_File_close(&files.log);
  return status;
}

static void parse_options(int argc, char** argv, struct options* options) {
  const struct setting settings[] = {
      {"steps", .number = &options->steps, .least = 0, .most = 1000000000},
      {"until", .text = &options->until},
      {"file", .text = &options->file},
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
  const int status = ends_here(&options.usage) ? explain(&options.usage, "records", help) : write_and_check(&options);
  MPI_Finalize();
  return status;
}
