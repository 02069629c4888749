/* What mpi.h has numbers for, kept in variables over the steps: processes that are none, any process and any tag, kinds
 * of topologies, datatypes and communicators, keys, classes of errors; and what MPI has said of messages.
 *
 * The ranks are in a line, whose ends have no neighbour. In each step pairs of numbers go along the line through
 * persistent requests, others around the ring of ranks to whoever receives from anybody; the last of all is found by an
 * operation of the program's own. A step begins with a look at what the last one has kept.
 *
 * Live at a step's start: the options; the number of the step; all members of `struct kept`; the digest so far.
 * Not live: the pairs that are received in each step. */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "hold.h"
#include "options.h"
#include "result.h"

enum { REQUESTS = 2, MOST = 4 };
enum tag { ALONG, AROUND, NEVER };

static const char help[] =
    "Usage: constants [--steps S] [--hold FILE --hold-at K]\n"
    "Keeps constants of MPI and statuses in variables, uses them in every step, and checks what comes of it.\n"
    "  --steps S    time steps (200)\n"
    "  --hold FILE  at step K (--hold-at K, or several, as 3,7) wait until FILE exists, and remove it\n"
    "Exit status: 0 right, 1 wrong, 2 wrong usage.\n"
    "Example:\n"
    "  mpirun -n 4 constants --steps 1000\n";

struct options {
  struct usage usage;
  long steps;
  struct hold hold;
};

struct pair {
  double number;
  int rank;
};

struct kept {
  int rank, ranks;
  MPI_Comm line;
  int before, after; /* MPI_PROC_NULL at the ends */
  int anybody, any_tag, nobody, undefined;
  int topology, combiner, order, class_of_types, split, tag_key;
  int rank_error, root_error;
  MPI_Datatype pair;
  MPI_Op last;
  MPI_Request along[REQUESTS]; /* from the one before, to the one after */
  struct pair out, in;
  MPI_Status came, from_nobody, taken_back;
};

static int next_of(const struct kept* k) { return (k->rank + 1) % k->ranks; }
static int previous_of(const struct kept* k) { return (k->rank + k->ranks - 1) % k->ranks; }
static int length_at(long step) { return 1 + (int)(step % (MOST - 1)); }
static double number_of(int rank, long step) { return 0.5 * (double)((11L * rank + 7 * step) % 101); }

/* The pair with the larger number; of equal ones that of the higher rank. */
static void keep_last(void* in, void* inout, int* length, MPI_Datatype* type) {
  const struct pair* others = (const struct pair*)in;
  struct pair* own = (struct pair*)inout;
  (void)type;
  for (int i = 0; i < *length; ++i) {
    const int later =
        others[i].number > own[i].number || (others[i].number == own[i].number && others[i].rank > own[i].rank);
    if (later) own[i] = others[i];
  }
}

/* ---- Making them ---- */

static void make_types(struct kept* k) {
  const int lengths[2] = {1, 1};
  const MPI_Aint places[2] = {offsetof(struct pair, number), offsetof(struct pair, rank)};
  const MPI_Datatype types[2] = {MPI_DOUBLE, MPI_INT};
  MPI_Datatype members;
  MPI_Type_create_struct(2, lengths, places, types, &members);
  MPI_Type_create_resized(members, 0, (MPI_Aint)sizeof(struct pair), &k->pair);
  MPI_Type_commit(&k->pair);
  MPI_Type_free(&members);
  MPI_Op_create(keep_last, 1, &k->last);
}

static void make_constants(struct kept* k) {
  k->anybody = MPI_ANY_SOURCE;
  k->any_tag = MPI_ANY_TAG;
  k->nobody = MPI_PROC_NULL;
  k->undefined = MPI_UNDEFINED;
  k->topology = MPI_CART;
  k->combiner = MPI_COMBINER_RESIZED;
  k->order = MPI_ORDER_FORTRAN;
  k->class_of_types = MPI_TYPECLASS_INTEGER;
  k->split = MPI_COMM_TYPE_SHARED;
  k->tag_key = MPI_TAG_UB;
  k->rank_error = MPI_ERR_RANK;
  k->root_error = MPI_ERR_ROOT;
}

static void make_kept(struct kept* k) {
  const int periodic = 0;
  memset(k, 0, sizeof *k);
  MPI_Comm_rank(MPI_COMM_WORLD, &k->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &k->ranks);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &k->ranks, &periodic, 0, &k->line);
  MPI_Comm_set_errhandler(k->line, MPI_ERRORS_RETURN);
  MPI_Cart_shift(k->line, 0, 1, &k->before, &k->after);
  make_constants(k);
  make_types(k);
  MPI_Recv_init(&k->in, 1, k->pair, k->before, ALONG, k->line, &k->along[0]);
  MPI_Send_init(&k->out, 1, k->pair, k->after, ALONG, k->line, &k->along[1]);
}

static void release_kept(struct kept* k) {
  for (int i = 0; i < REQUESTS; ++i) MPI_Request_free(&k->along[i]);
  MPI_Op_free(&k->last);
  MPI_Type_free(&k->pair);
  MPI_Comm_free(&k->line);
}

/* ---- Using them: each returns how much is wrong ---- */

/* What was said of messages of the step before. */
static int use_statuses(const struct kept* k, long step) {
  int pairs = -1, elements = -1, cancelled = -1, none = -1, doubles = -1;
  if (step == 0) return 0;
  MPI_Get_count(&k->came, k->pair, &pairs);
  MPI_Get_elements(&k->came, k->pair, &elements);
  MPI_Get_count(&k->from_nobody, MPI_INT, &none);
  MPI_Test_cancelled(&k->taken_back, &cancelled);
  int wrong = (pairs != length_at(step - 1)) + (elements != 2 * pairs) + (k->came.MPI_SOURCE != previous_of(k)) +
              (k->came.MPI_TAG != AROUND) + (none != 0) + (k->from_nobody.MPI_SOURCE != MPI_PROC_NULL) +
              (k->from_nobody.MPI_TAG != MPI_ANY_TAG) + (cancelled != 1);
  MPI_Get_count(&k->came, MPI_DOUBLE, &doubles); /* 12 bytes of each pair are sent */
  return wrong + (doubles != (pairs % 2 == 0 ? pairs / 2 * 3 : k->undefined));
}

static int go_along(struct kept* k, long step) {
  k->in = (struct pair){-1, -1};
  k->out = (struct pair){number_of(k->rank, step), k->rank};
  MPI_Startall(REQUESTS, k->along);
  MPI_Waitall(REQUESTS, k->along, MPI_STATUSES_IGNORE);
  MPI_Recv(NULL, 0, MPI_INT, k->nobody, NEVER, k->line, &k->from_nobody);
  const int first = k->rank == 0, last = k->rank == k->ranks - 1;
  if (first) return (k->before != k->nobody) + (k->in.rank != -1);
  return (k->before != k->rank - 1) + (last ? k->after != k->nobody : k->after != k->rank + 1) +
         (k->in.rank != k->rank - 1) + (k->in.number != number_of(k->rank - 1, step));
}

static int go_around(struct kept* k, long step) {
  struct pair out[MOST], in[MOST];
  const int length = length_at(step);
  int wrong = 0;
  MPI_Request request;
  for (int i = 0; i < length; ++i) out[i] = (struct pair){number_of(k->rank, step + i), i};
  MPI_Isend(out, length, k->pair, next_of(k), AROUND, k->line, &request);
  MPI_Recv(in, MOST, k->pair, k->anybody, k->any_tag, k->line, &k->came);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < length; ++i) wrong += in[i].rank != i || in[i].number != number_of(previous_of(k), step + i);
  MPI_Irecv(in, MOST, k->pair, k->anybody, NEVER, k->line, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &k->taken_back);
  return wrong;
}

/* Adds the last pair of all to the digest. */
static int find_last(const struct kept* k, long step, uint64_t* digest) {
  struct pair found = {number_of(k->rank, step), k->rank}, expected = {-1, -1};
  int length = 1;
  MPI_Allreduce(MPI_IN_PLACE, &found, 1, k->pair, k->last, k->line);
  for (int rank = 0; rank < k->ranks; ++rank) {
    struct pair one = {number_of(rank, step), rank};
    keep_last(&one, &expected, &length, NULL);
  }
  *digest = digest_word(digest_doubles(*digest, &found.number, 1), (uint64_t)found.rank);
  return found.rank != expected.rank || found.number != expected.number;
}

static int use_kinds(const struct kept* k) {
  const int sizes[2] = {4, 3}, parts[2] = {2, 3}, starts[2] = {1, 0};
  int integers, addresses, types, kind = -1, made[8], found = 0, *limit = NULL, wrong = 0;
  MPI_Aint no_address;
  MPI_Datatype part, of, matched;
  MPI_Topo_test(k->line, &kind);
  wrong += kind != k->topology;
  MPI_Type_get_envelope(k->pair, &integers, &addresses, &types, &kind);
  wrong += kind != k->combiner;
  MPI_Type_create_subarray(2, sizes, parts, starts, k->order, MPI_INT, &part);
  MPI_Type_get_contents(part, 8, 0, 1, made, &no_address, &of);
  wrong += made[7] != k->order || of != MPI_INT;
  MPI_Type_free(&part);
  MPI_Type_match_size(k->class_of_types, (int)sizeof(short), &matched);
  MPI_Type_size(matched, &kind);
  wrong += kind != (int)sizeof(short) || matched == MPI_DATATYPE_NULL;
  MPI_Comm_get_attr(MPI_COMM_WORLD, k->tag_key, &limit, &found);
  return wrong + (!found || *limit < 32767);
}

static int use_errors(const struct kept* k) {
  int class = -1, wrong = 0, members = 0, word = 0;
  MPI_Error_class(MPI_Send(&word, 1, MPI_INT, k->ranks + 3, NEVER, k->line), &class);
  wrong += class != k->rank_error;
  MPI_Error_class(MPI_Bcast(&word, 1, MPI_INT, k->ranks + 3, k->line), &class);
  wrong += class != k->root_error;
  MPI_Comm node;
  MPI_Comm_split_type(k->line, k->split, k->rank, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &members);
  MPI_Comm_free(&node);
  return wrong + (members < 1);
}

/* ---- The program ---- */

static int use_and_check(const struct options* options) {
  struct kept kept;
  make_kept(&kept);
  long wrong = 0;
  uint64_t digest = DIGEST_START;
  for (long step = 0; step < options->steps; ++step) {
    hold_at(&options->hold, kept.rank, step);
    long here = use_statuses(&kept, step) + go_along(&kept, step) + go_around(&kept, step), everywhere = 0;
    here += find_last(&kept, step, &digest) + use_kinds(&kept) + use_errors(&kept);
    MPI_Allreduce(&here, &everywhere, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    wrong += everywhere;
  }
  const int status = tell("constants", digest_ranks(digest, MPI_COMM_WORLD), wrong == 0, "%ld times", wrong);
  release_kept(&kept);
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
  const int status = ends_here(&options.usage) ? explain(&options.usage, "constants", help) : use_and_check(&options);
  MPI_Finalize();
  return status;
}
