/* Objects of MPI of many kinds, made once and used in every step: communicators with two sides, with graphs, from
 * groups and from what a node shares, their attributes, hints, names and error handlers, info objects, groups, an
 * operation.
 *
 * A step sends each rank's value over each of them; what arrives is known, so that every step counts what is wrong.
 * A few communicators live for some steps only, and their attributes with them.
 *
 * Live at a step's start: the options; the number of the step; rank and number of ranks; all objects and the counters
 * that their functions change; the attribute's box on the heap; the digest so far.
 * Not live: the values that are sent and received. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hold.h"
#include "options.h"
#include "result.h"

enum { SHORT_LIVED = 3, TAG = 5 };

static const char help[] =
    "Usage: objects [--steps S] [--hold FILE --hold-at K]\n"
    "Uses communicators, attributes, info objects, groups and operations in every step, and checks what comes of it.\n"
    "  --steps S    time steps (200)\n"
    "  --hold FILE  at step K (--hold-at K, or several, as 3,7) wait until FILE exists, and remove it\n"
    "Exit status: 0 right, 1 wrong, 2 wrong usage.\n"
    "Example:\n"
    "  mpirun -n 4 objects --steps 1000\n";

struct options {
  struct usage usage;
  long steps;
  struct hold hold;
};

/* What an attribute leads to. */
struct box {
  long copies, deletions;
  int* limit; /* that the operation and the error handler use, too */
};

struct objects {
  int rank, ranks;
  MPI_Comm sides;   /* even and odd ranks; none of a single rank */
  MPI_Comm ring;    /* a graph: everybody's neighbours are the one before and the one after */
  MPI_Comm onwards; /* a distributed graph with weights: from everybody to the next one */
  MPI_Comm node;    /* those who shared memory at the start */
  MPI_Comm not_last;
  MPI_Comm watched; /* with an error handler, hints and an attribute */
  MPI_Comm brief[SHORT_LIVED];
  MPI_Group backwards;
  MPI_Op limited;
  MPI_Info info;
  MPI_Errhandler handler;
  int key;
  struct box* box;
};

static int* limit;
static long errors;

/* ---- What MPI calls ---- */

static void add_limited(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *length; ++i) ((int*)inout)[i] = (((int*)in)[i] + ((int*)inout)[i]) % *limit;
}

static void count_error(MPI_Comm* communicator, int* code, ...) {
  int class;
  (void)communicator;
  MPI_Error_class(*code, &class);
  errors += class == MPI_ERR_ROOT ? *limit : 1000000;
}

static int copy_box(MPI_Comm communicator, int key, void* extra, void* value, void* copy, int* copied) {
  (void)communicator, (void)key, (void)extra;
  ++((struct box*)value)->copies;
  *(void**)copy = value;
  *copied = 1;
  return MPI_SUCCESS;
}

static int delete_box(MPI_Comm communicator, int key, void* value, void* extra) {
  (void)communicator, (void)key, (void)extra;
  ++((struct box*)value)->deletions;
  return MPI_SUCCESS;
}

/* ---- Making them ---- */

static int before(const struct objects* o) { return (o->rank + o->ranks - 1) % o->ranks; }
static int after(const struct objects* o) { return (o->rank + 1) % o->ranks; }

static void make_sides(struct objects* o) {
  o->sides = MPI_COMM_NULL;
  if (o->ranks < 2) return;
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, o->rank % 2, o->rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, o->rank % 2 == 0 ? 1 : 0, TAG, &o->sides);
  MPI_Comm_free(&half);
}

static void make_graphs(struct objects* o) {
  int* index = malloc((size_t)o->ranks * sizeof *index);
  int* edges = malloc(2 * (size_t)o->ranks * sizeof *edges);
  if (index == NULL || edges == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int rank = 0; rank < o->ranks; ++rank) {
    index[rank] = 2 * (rank + 1);
    edges[2 * rank] = (rank + o->ranks - 1) % o->ranks;
    edges[2 * rank + 1] = (rank + 1) % o->ranks;
  }
  MPI_Graph_create(MPI_COMM_WORLD, o->ranks, index, edges, 0, &o->ring);
  free(index);
  free(edges);
  const int source = before(o), target = after(o), in = 10 * source, out = 10 * o->rank;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &source, &in, 1, &target, &out, MPI_INFO_NULL, 0, &o->onwards);
}

static void make_from_groups(struct objects* o) {
  MPI_Group all, some;
  int range[1][3] = {{o->ranks - 1, 0, -1}};
  const int last = o->ranks - 1;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_range_incl(all, 1, range, &o->backwards);
  MPI_Group_excl(all, 1, &last, &some);
  MPI_Comm_create(MPI_COMM_WORLD, some, &o->not_last);
  MPI_Group_free(&some);
  MPI_Group_free(&all);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, o->rank, MPI_INFO_NULL, &o->node);
}

static void make_watched(struct objects* o) {
  MPI_Info_create(&o->info);
  MPI_Info_set(o->info, "access_style", "read_once");
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, o->info, &o->watched);
  MPI_Comm_set_name(o->watched, "watched");
  MPI_Comm_create_errhandler(count_error, &o->handler);
  MPI_Comm_set_errhandler(o->watched, o->handler);
  o->box = calloc(1, sizeof *o->box);
  if (o->box == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  o->box->limit = limit;
  MPI_Comm_create_keyval(copy_box, delete_box, &o->key, NULL);
  MPI_Comm_set_attr(o->watched, o->key, o->box);
}

static void make_objects(struct objects* o) {
  MPI_Comm_rank(MPI_COMM_WORLD, &o->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &o->ranks);
  limit = malloc(sizeof *limit);
  if (limit == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  *limit = 97;
  MPI_Op_create(add_limited, 1, &o->limited);
  make_sides(o);
  make_graphs(o);
  make_from_groups(o);
  make_watched(o);
  for (int i = 0; i < SHORT_LIVED; ++i) o->brief[i] = MPI_COMM_NULL;
}

static void release(MPI_Comm* communicator) {
  if (*communicator != MPI_COMM_NULL) MPI_Comm_free(communicator);
}

static void release_objects(struct objects* o) {
  for (int i = 0; i < SHORT_LIVED; ++i) release(&o->brief[i]);
  MPI_Comm* all[] = {&o->sides, &o->ring, &o->onwards, &o->node, &o->not_last, &o->watched};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) release(all[i]);
  MPI_Group_free(&o->backwards);
  MPI_Op_free(&o->limited);
  MPI_Info_free(&o->info);
  MPI_Errhandler_free(&o->handler);
  MPI_Comm_free_keyval(&o->key);
  free(o->box);
  free(limit);
}

/* ---- Using them: each returns how much is wrong ---- */

static int value_of(int rank, long step) { return (int)((7L * rank + 3 * step) % 89); }

/* Each side adds up the other one's values. */
static int use_sides(const struct objects* o, long step) {
  if (o->sides == MPI_COMM_NULL) return 0;
  int mine = value_of(o->rank, step), sum = 0, expected = 0, remote = 0, inter = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, o->sides);
  for (int rank = 1 - o->rank % 2; rank < o->ranks; rank += 2) expected += value_of(rank, step);
  MPI_Comm_remote_size(o->sides, &remote);
  MPI_Comm_test_inter(o->sides, &inter);
  return (sum != expected) + (remote != (o->ranks + o->rank % 2) / 2) + !inter;
}

static int use_graphs(const struct objects* o, long step) {
  int mine = value_of(o->rank, step), got[2] = {-1, -1}, next = -1, neighbours[2], source, target, in, out, count;
  MPI_Graph_neighbors_count(o->ring, o->rank, &count);
  if (count != 2) return 1;
  MPI_Graph_neighbors(o->ring, o->rank, 2, neighbours);
  MPI_Neighbor_allgather(&mine, 1, MPI_INT, got, 1, MPI_INT, o->ring);
  int wrong = 0;
  for (int i = 0; i < 2; ++i) wrong += got[i] != value_of(neighbours[i], step);
  wrong += neighbours[0] != before(o) || neighbours[1] != after(o);
  MPI_Dist_graph_neighbors(o->onwards, 1, &source, &in, 1, &target, &out);
  MPI_Neighbor_alltoall(&mine, 1, MPI_INT, &next, 1, MPI_INT, o->onwards);
  return wrong + (next != value_of(before(o), step)) + (source != before(o)) + (target != after(o)) +
         (in != 10 * before(o)) + (out != 10 * o->rank);
}

static int use_groups(const struct objects* o, long step) {
  const int mine = value_of(o->rank, step);
  int wrong = 0, position, size, first = mine, sum = -1, expected = 0;
  MPI_Group_rank(o->backwards, &position);
  wrong += position != o->ranks - 1 - o->rank;
  if (o->not_last != MPI_COMM_NULL) {
    MPI_Comm_size(o->not_last, &size);
    wrong += size != o->ranks - 1;
    MPI_Bcast(&first, 1, MPI_INT, 0, o->not_last);
    wrong += first != value_of(0, step);
  }
  first = mine;
  MPI_Bcast(&first, 1, MPI_INT, 0, o->node);
  MPI_Comm_rank(o->node, &position);
  wrong += position == 0 && first != mine;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, o->limited, MPI_COMM_WORLD);
  for (int rank = 0; rank < o->ranks; ++rank) expected = (expected + value_of(rank, step)) % 97;
  return wrong + (sum != expected);
}

static int use_watched(const struct objects* o, long step) {
  char text[MPI_MAX_OBJECT_NAME] = "";
  int wrong = 0, length, found;
  struct box* box = NULL;
  MPI_Comm_get_attr(o->watched, o->key, &box, &found);
  wrong += !found || box == NULL || *box->limit != 97;
  MPI_Comm_get_name(o->watched, text, &length);
  wrong += strcmp(text, "watched") != 0;
  MPI_Info_get(o->info, "access_style", 20, text, &found);
  wrong += !found || strcmp(text, "read_once") != 0;
  const long seen = errors;
  MPI_Bcast(&length, 1, MPI_INT, o->ranks + (int)(step % 3), o->watched);
  return wrong + (errors != seen + 97);
}

/* One of them goes, and another one comes, with the attribute of the first. */
static int renew(struct objects* o, long step) {
  MPI_Comm* one = &o->brief[step % SHORT_LIVED];
  release(one);
  MPI_Comm_dup(o->watched, one);
  struct box* box = NULL;
  int found, mine = o->rank, got = -1;
  MPI_Comm_get_attr(*one, o->key, &box, &found);
  MPI_Sendrecv(&mine, 1, MPI_INT, after(o), TAG, &got, 1, MPI_INT, before(o), TAG, *one, MPI_STATUS_IGNORE);
  const long alive = step < SHORT_LIVED ? step + 1 : SHORT_LIVED;
  return !found || box != o->box || box->copies != step + 1 || box->copies - box->deletions != alive ||
         got != before(o);
}

static int use(struct objects* o, long step) {
  return use_sides(o, step) + use_graphs(o, step) + use_groups(o, step) + use_watched(o, step) + renew(o, step);
}

/* ---- The program ---- */

static int use_and_check(const struct options* options) {
  struct objects objects;
  make_objects(&objects);
  long wrong = 0;
  uint64_t digest = DIGEST_START;
  for (long step = 0; step < options->steps; ++step) {
    hold_at(&options->hold, objects.rank, step);
    long here = use(&objects, step), everywhere = 0;
    MPI_Allreduce(&here, &everywhere, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    wrong += everywhere;
    digest = digest_word(digest, (uint64_t)(objects.box->copies + errors));
  }
  const int status = tell("objects", digest_ranks(digest, MPI_COMM_WORLD), wrong == 0, "%ld times", wrong);
  release_objects(&objects);
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
  const int status = ends_here(&options.usage) ? explain(&options.usage, "objects", help) : use_and_check(&options);
  MPI_Finalize();
  return status;
}
