/* Derived datatypes, a user-defined operation and persistent requests that live across the steps, in a program whose
 * result is known exactly.
 *
 * A torus of rows x columns cells holds numbers modulo a prime. A step replaces each cell by the sum of itself and its
 * eight neighbours, and adds a step's summary (the largest cell, where it is, and the sum) to a history. From a single
 * 1 at the start, a cell is at any time the product of two trinomial coefficients, one for its row and one for its
 * column, which the check computes directly.
 *
 * The columns are cut among the ranks. Columns travel to both neighbours through persistent requests on a vector type;
 * a summary is a struct type, reduced by an operation of the program's own. A parcel, another struct type, goes around
 * the ring of ranks, one rank further in each step, and counts its stops.
 *
 * A time step exchanges the columns and the parcel, computes the new cells and appends a summary.
 * Live at its start: the options; the number of the step; rank, number of ranks, first column and the sizes; the cells
 * of the own columns, which share a block with the halo; the parcel; the history so far; the two types that requests
 * and reductions use, the operation, and the six requests, none of them active, with the addresses they were made with.
 * Not live: the halo columns and `incoming`, received in each step; `next`, computed anew in each step. */
#include <limits.h>
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hold.h"
#include "options.h"
#include "result.h"

enum { PRIME = 65521, MAX_SIZE = 100000, COLUMN_REQUESTS = 4, REQUESTS = 6 };
enum tag { TO_RIGHT, TO_LEFT, PARCEL };

static const char help[] =
    "Usage: types [--rows N] [--columns N] [--steps S] [--hold FILE --hold-at K]\n"
    "Adds up neighbours on a torus, modulo a prime, and checks every cell and every step's summary exactly.\n"
    "  --rows N, --columns N  the size of the torus (120 x 160)\n"
    "  --steps S              time steps (200)\n"
    "  --hold FILE            at step K (--hold-at K, or several, as 3,7) wait until FILE exists, and remove it\n"
    "Exit status: 0 right, 1 wrong, 2 wrong usage.\n"
    "Examples:\n"
    "  mpirun -n 4 types --steps 1000\n"
    "  mpirun -n 2 types --rows 1000 --columns 2000\n";

struct options {
  struct usage usage;
  long rows, columns, steps;
  struct hold hold;
};

/* The cells after a step, of all ranks. */
struct summary {
  int64_t sum;
  int32_t largest;
  struct {
    int32_t row, column; /* the first place, by rows, of the largest cell */
  } place;
};

struct parcel {
  char label[12];
  short sender;
  long stops;
  double weight; /* the sum of 1 / (1 + rank) over its stops */
};

struct torus {
  int rank, ranks;
  int rows, columns; /* of all ranks */
  int first, own;    /* columns */
  int32_t** cells;   /* rows of own + 2: a column of the left neighbour, the own ones, one of the right neighbour */
  int32_t** next;
};

/* What MPI knows about the program. */
struct exchange {
  MPI_Datatype column, parcel, summary;
  MPI_Op merge;
  MPI_Request requests[REQUESTS];
};

static struct parcel outgoing, incoming;

/* ---- The torus ---- */

static int first_column(const struct torus* torus, int rank) {
  return (int)((long)torus->columns * rank / torus->ranks);
}

/* A matrix in one block, with pointers to its rows. */
static int32_t** make_cells(int rows, int columns) {
  int32_t** cells = malloc((size_t)rows * sizeof *cells);
  int32_t* block = calloc((size_t)rows * (size_t)columns, sizeof *block);
  if (cells == NULL || block == NULL) {
    fprintf(stderr, "types: no memory for %d x %d cells; take more ranks or a smaller torus\n", rows, columns);
    MPI_Abort(MPI_COMM_WORLD, 1);
    return NULL;
  }
  for (int row = 0; row < rows; ++row) cells[row] = block + (size_t)row * (size_t)columns;
  return cells;
}

static void release_cells(int32_t** cells) {
  free(cells[0]);
  free(cells);
}

static void make_torus(struct torus* torus, const struct options* options) {
  MPI_Comm_rank(MPI_COMM_WORLD, &torus->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &torus->ranks);
  torus->rows = (int)options->rows;
  torus->columns = (int)options->columns;
  torus->first = first_column(torus, torus->rank);
  torus->own = first_column(torus, torus->rank + 1) - torus->first;
  torus->cells = make_cells(torus->rows, torus->own + 2);
  torus->next = make_cells(torus->rows, torus->own + 2);
  if (torus->first == 0) torus->cells[0][1] = 1;
}

/* Computes the own cells of `next`, and then puts them into the place of the old ones: the requests are for those. */
static void add_neighbours(struct torus* torus) {
  for (int row = 0; row < torus->rows; ++row) {
    const int32_t* above = torus->cells[row > 0 ? row - 1 : torus->rows - 1];
    const int32_t* here = torus->cells[row];
    const int32_t* below = torus->cells[row < torus->rows - 1 ? row + 1 : 0];
    for (int column = 1; column <= torus->own; ++column) {
      int32_t sum = 0;
      for (int near = column - 1; near <= column + 1; ++near) sum += above[near] + here[near] + below[near];
      torus->next[row][column] = sum % PRIME;
    }
  }
  for (int row = 0; row < torus->rows; ++row) {
    for (int column = 1; column <= torus->own; ++column) torus->cells[row][column] = torus->next[row][column];
  }
}

/* A parcel that sets out from a rank. */
static struct parcel first_parcel(int rank) {
  struct parcel parcel = {.sender = -1};
  snprintf(parcel.label, sizeof parcel.label, "from %d", rank % 1000);
  return parcel;
}

/* ---- What MPI has to know ---- */

/* Keeps of two summaries the larger cell, the first one if they are equal, and adds the sums. */
static void merge_summaries(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  const struct summary* from = in;
  struct summary* into = inout;
  for (int i = 0; i < *length; ++i) {
    into[i].sum += from[i].sum;
    const int row_order = from[i].place.row - into[i].place.row;
    const int order = row_order != 0 ? row_order : from[i].place.column - into[i].place.column;
    if (from[i].largest > into[i].largest || (from[i].largest == into[i].largest && order < 0)) {
      into[i].largest = from[i].largest;
      into[i].place = from[i].place;
    }
  }
}

static MPI_Datatype make_struct_type(int members, const int* lengths, const MPI_Aint* offsets,
                                     const MPI_Datatype* types, size_t size) {
  MPI_Datatype packed, result;
  MPI_Type_create_struct(members, lengths, offsets, types, &packed);
  MPI_Type_create_resized(packed, 0, (MPI_Aint)size, &result);
  MPI_Type_commit(&result);
  MPI_Type_free(&packed);
  return result;
}

static MPI_Datatype make_summary_type(void) {
  const int lengths[] = {1, 1, 2};
  const MPI_Aint offsets[] = {offsetof(struct summary, sum), offsetof(struct summary, largest),
                              offsetof(struct summary, place)};
  const MPI_Datatype types[] = {MPI_INT64_T, MPI_INT32_T, MPI_INT32_T};
  return make_struct_type(3, lengths, offsets, types, sizeof(struct summary));
}

static MPI_Datatype make_parcel_type(void) {
  const int lengths[] = {sizeof outgoing.label, 1, 1, 1};
  const MPI_Aint offsets[] = {offsetof(struct parcel, label), offsetof(struct parcel, sender),
                              offsetof(struct parcel, stops), offsetof(struct parcel, weight)};
  const MPI_Datatype types[] = {MPI_CHAR, MPI_SHORT, MPI_LONG, MPI_DOUBLE};
  return make_struct_type(4, lengths, offsets, types, sizeof(struct parcel));
}

static void make_exchange(struct exchange* exchange, const struct torus* torus) {
  MPI_Type_vector(torus->rows, 1, torus->own + 2, MPI_INT32_T, &exchange->column);
  MPI_Type_commit(&exchange->column);
  exchange->summary = make_summary_type();
  exchange->parcel = make_parcel_type();
  MPI_Op_create(merge_summaries, 1, &exchange->merge);

  const int left = (torus->rank + torus->ranks - 1) % torus->ranks;
  const int right = (torus->rank + 1) % torus->ranks;
  int32_t* row = torus->cells[0];
  MPI_Request* request = exchange->requests;
  const MPI_Comm all = MPI_COMM_WORLD;
  MPI_Recv_init(&row[0], 1, exchange->column, left, TO_RIGHT, all, request++);
  MPI_Send_init(&row[torus->own], 1, exchange->column, right, TO_RIGHT, all, request++);
  MPI_Recv_init(&row[torus->own + 1], 1, exchange->column, right, TO_LEFT, all, request++);
  MPI_Send_init(&row[1], 1, exchange->column, left, TO_LEFT, all, request++);
  MPI_Recv_init(&incoming, 1, exchange->parcel, left, PARCEL, all, request++);
  MPI_Send_init(&outgoing, 1, exchange->parcel, right, PARCEL, all, request++);
}

static void release_exchange(struct exchange* exchange) {
  for (int i = 0; i < REQUESTS; ++i) MPI_Request_free(&exchange->requests[i]);
  MPI_Type_free(&exchange->column);
  MPI_Type_free(&exchange->parcel);
  MPI_Type_free(&exchange->summary);
  MPI_Op_free(&exchange->merge);
}

/* ---- The steps ---- */

static void exchange_columns(struct exchange* exchange) {
  MPI_Startall(COLUMN_REQUESTS, exchange->requests);
  MPI_Waitall(COLUMN_REQUESTS, exchange->requests, MPI_STATUSES_IGNORE);
}

static void pass_parcel(struct exchange* exchange, const struct torus* torus) {
  outgoing.sender = (short)torus->rank;
  ++outgoing.stops;
  outgoing.weight += 1.0 / (1 + torus->rank);
  for (int i = COLUMN_REQUESTS; i < REQUESTS; ++i) MPI_Start(&exchange->requests[i]);
  MPI_Waitall(REQUESTS - COLUMN_REQUESTS, &exchange->requests[COLUMN_REQUESTS], MPI_STATUSES_IGNORE);
  outgoing = incoming;
}

static struct summary summarise(const struct exchange* exchange, const struct torus* torus) {
  struct summary own = {.largest = -1}, all;
  for (int row = 0; row < torus->rows; ++row) {
    for (int column = 1; column <= torus->own; ++column) {
      const int32_t cell = torus->cells[row][column];
      own.sum += cell;
      if (cell > own.largest) {
        own.largest = cell;
        own.place.row = row;
        own.place.column = torus->first + column - 1;
      }
    }
  }
  MPI_Allreduce(&own, &all, 1, exchange->summary, exchange->merge, MPI_COMM_WORLD);
  return all;
}

/* All steps. Returns the history, a summary per step, for free(). */
static struct summary* run(const struct options* options, struct torus* torus, struct exchange* exchange) {
  struct summary* history = NULL;
  long room = 0;
  for (long step = 0; step < options->steps; ++step) {
    hold_at(&options->hold, torus->rank, step);
    exchange_columns(exchange);
    pass_parcel(exchange, torus);
    add_neighbours(torus);
    if (step == room) {
      room = room > 0 ? 2 * room : 16;
      history = realloc(history, (size_t)room * sizeof *history);
      if (history == NULL) {
        fprintf(stderr, "types: no memory for %ld summaries; take fewer steps\n", room);
        MPI_Abort(MPI_COMM_WORLD, 1);
      }
    }
    history[step] = summarise(exchange, torus);
  }
  return history;
}

/* ---- The check ---- */

/* One step in one dimension: the coefficients are those of powers of x^-1 + 1 + x, modulo x^size - 1. */
static void advance(int32_t* line, int32_t* scratch, int size) {
  for (int i = 0; i < size; ++i) {
    scratch[i] = (line[(i + size - 1) % size] + line[i] + line[(i + 1) % size]) % PRIME;
  }
  memcpy(line, scratch, (size_t)size * sizeof *line);
}

static int32_t product(int32_t a, int32_t b) { return (int32_t)((int64_t)a * b % PRIME); }

static struct summary expected_summary(const struct torus* torus, const int32_t* row_line, const int32_t* column_line) {
  struct summary expected = {.largest = -1};
  for (int row = 0; row < torus->rows; ++row) {
    for (int column = 0; column < torus->columns; ++column) {
      const int32_t cell = product(row_line[row], column_line[column]);
      expected.sum += cell;
      if (cell <= expected.largest) continue;
      expected.largest = cell;
      expected.place.row = row;
      expected.place.column = column;
    }
  }
  return expected;
}

static bool same(const struct summary* a, const struct summary* b) {
  return a->sum == b->sum && a->largest == b->largest && a->place.row == b->place.row &&
         a->place.column == b->place.column;
}

/* The parcel that is here now set out from `steps` ranks before. */
static bool parcel_is_right(const struct torus* torus, long steps) {
  const int origin = (int)(((torus->rank - steps) % torus->ranks + torus->ranks) % torus->ranks);
  struct parcel expected = first_parcel(origin);
  for (long step = 0; step < steps; ++step) {
    expected.sender = (short)((origin + step) % torus->ranks);
    expected.weight += 1.0 / (1 + expected.sender);
  }
  return strcmp(outgoing.label, expected.label) == 0 && outgoing.sender == expected.sender && outgoing.stops == steps &&
         outgoing.weight == expected.weight;
}

/* How many summaries, and cells after the last step, are not what they should be, on all ranks. */
static long count_wrong(const struct torus* torus, const struct summary* history, long steps) {
  int32_t row_line[torus->rows], column_line[torus->columns];
  int32_t scratch[torus->rows > torus->columns ? torus->rows : torus->columns];
  memset(row_line, 0, sizeof row_line);
  memset(column_line, 0, sizeof column_line);
  row_line[0] = column_line[0] = 1;

  long wrong = parcel_is_right(torus, steps) ? 0 : 1;
  for (long step = 0; step < steps; ++step) {
    advance(row_line, scratch, torus->rows);
    advance(column_line, scratch, torus->columns);
    if (step % torus->ranks != torus->rank) continue;
    const struct summary expected = expected_summary(torus, row_line, column_line);
    wrong += !same(&history[step], &expected);
  }
  for (int row = 0; row < torus->rows; ++row) {
    for (int column = 0; column < torus->own; ++column) {
      const int32_t expected = product(row_line[row], column_line[torus->first + column]);
      wrong += torus->cells[row][column + 1] != expected;
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  return wrong;
}

static uint64_t digest_all(const struct torus* torus, const struct summary* history, long steps) {
  uint64_t digest = digest_doubles(DIGEST_START, &outgoing.weight, 1);
  for (long step = 0; step < steps; ++step) {
    digest = digest_word(digest, (uint64_t)history[step].sum);
    digest = digest_word(digest, (uint64_t)history[step].largest);
    digest = digest_word(digest, (uint64_t)history[step].place.row << 32 | (uint64_t)history[step].place.column);
  }
  for (int row = 0; row < torus->rows; ++row) {
    for (int column = 1; column <= torus->own; ++column) {
      digest = digest_word(digest, (uint64_t)torus->cells[row][column]);
    }
  }
  return digest_ranks(digest, MPI_COMM_WORLD);
}

/* ---- The program ---- */

static int add_and_check(const struct options* options) {
  struct torus torus;
  struct exchange exchange;
  make_torus(&torus, options);
  outgoing = first_parcel(torus.rank);
  make_exchange(&exchange, &torus);

  struct summary* history = run(options, &torus, &exchange);
  const long wrong = count_wrong(&torus, history, options->steps);
  const int status = tell("types", digest_all(&torus, history, options->steps), wrong == 0,
                          "%ld cells, summaries and parcels are not what they should be", wrong);
  free(history);
  release_exchange(&exchange);
  release_cells(torus.cells);
  release_cells(torus.next);
  return status;
}

static void parse_options(int argc, char** argv, struct options* options) {
  const struct setting settings[] = {
      {"rows", .number = &options->rows, .least = 1, .most = MAX_SIZE},
      {"columns", .number = &options->columns, .least = 1, .most = MAX_SIZE},
      {"steps", .number = &options->steps, .least = 0, .most = 1000000000},
      {"hold", .text = &options->hold.file},
      {"hold-at", .list = &options->hold.steps},
  };
  *options = (struct options){.rows = 120, .columns = 160, .steps = 200};
  const int operand = parse(argc, argv, settings, sizeof settings / sizeof *settings, &options->usage);
  if (operand < argc) wrong_usage(&options->usage, "'%s' is one argument too many", argv[operand]);
}

int main(int argc, char** argv) {
  struct options options;
  parse_options(argc, argv, &options);
  MPI_Init(&argc, &argv);
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (options.columns < ranks) {
    wrong_usage(&options.usage, "%ld columns are too few for %d ranks", options.columns, ranks);
  }
  const int status = ends_here(&options.usage) ? explain(&options.usage, "types", help) : add_and_check(&options);
  MPI_Finalize();
  return status;
}
