/* Adaptive quadrature on quadtrees that follow two moving bumps: in every step the trees grow where the integrand is
 * steep and shrink where it has become flat. The integral is known exactly.
 *
 * The unit square is cut into root squares, each with a tree that some rank owns. After each step the ranks exchange
 * how much work every root made, and share the roots anew; a tree that changes hands is cut down here and grown again
 * there.
 *
 * A time step adapts the own trees to the integrand of the step, compares the integral, and shares the roots.
 * Live at its start: the options; rank, number of ranks and first_root[]; the array of roots and all nodes of the own
 * trees (parent, quarters, level, which quarter); the number of leaves; the number of the step, the largest error so
 * far; the list of the latest events, with the place where the next one is linked in.
 * Not live: the nodes' integrals, the bumps and the work of the roots, computed anew in each step; splits and merges,
 * zeroed. */
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "hold.h"
#include "options.h"
#include "result.h"

enum {
  ROOTS_PER_SIDE = 8,
  ROOTS = ROOTS_PER_SIDE * ROOTS_PER_SIDE,
  SHALLOWEST = 2,
  DEEPEST = 12,
  EVENTS_KEPT = 16,
  TURN = 80
};

static const char help[] =
    "Usage: tree [--steps S] [--hold FILE --hold-at K]\n"
    "Integrates two moving bumps on adaptive trees and checks the integral in every step.\n"
    "  --steps S    time steps (100)\n"
    "  --hold FILE  at step K (--hold-at K, or several, as 3,7) wait until FILE exists, and remove it\n"
    "Exit status: 0 right, 1 wrong, 2 wrong usage.\n"
    "Example:\n"
    "  mpirun -n 4 tree --steps 400\n";

static const double two_pi = 6.283185307179586;
static const double allowed_miss = 1e-7; /* of a square's coarse points, times its area; beyond that it splits */
static const double merge_below = 0.05;  /* of the allowed miss */
static const double tolerance = 2e-9;    /* of the integral, from the finer points */

struct options {
  struct usage usage;
  long steps;
  struct hold hold;
};

struct bump {
  double x, y, width;
};

struct node {
  struct node* parent;    /* NULL for a root */
  struct node** quarters; /* four, or NULL for a leaf */
  double integral;
  unsigned root : 12;
  unsigned level : 4;   /* 0 for a root */
  unsigned quarter : 2; /* of the parent: 1 is right of 0, 2 above it */
};

struct square {
  double x, y, side; /* the lower left corner */
};

/* What a step did to the own trees. */
struct event {
  long step;
  int splits, merges, leaves;
  struct event* next;
};

/* The latest events, oldest first. */
struct events {
  struct event* oldest;
  struct event** end; /* where to link in the next one */
  int count;
};

struct forest {
  int rank, ranks;
  int* first_root;     /* rank r owns those from first_root[r] to before first_root[r + 1] */
  struct node** roots; /* NULL for those of other ranks */
  struct bump bumps[2];
  int leaves, splits, merges;
  struct events events;
};

static double work[ROOTS]; /* evaluations of the integrand */

/* ---- The integrand ---- */

static void move_bumps(struct bump* bumps, long step) {
  const double angle = two_pi * (double)(step % TURN) / TURN;
  bumps[0] = (struct bump){0.5 + 0.35 * cos(angle), 0.5 + 0.35 * sin(angle), 0.04};
  bumps[1] = (struct bump){0.5 + 0.2 * cos(3 * angle), 0.5 - 0.2 * sin(angle), 0.02};
}

static double integrand(const struct bump* bumps, double x, double y) {
  double sum = 0;
  for (const struct bump* bump = bumps; bump < bumps + 2; ++bump) {
    const double dx = (x - bump->x) / bump->width, dy = (y - bump->y) / bump->width;
    sum += exp(-(dx * dx + dy * dy));
  }
  return sum;
}

/* The integral over the unit square. */
static double exact_integral(const struct bump* bumps) {
  double sum = 0;
  for (int i = 0; i < 2; ++i) {
    const struct bump* b = &bumps[i];
    const double along_x = erf((1 - b->x) / b->width) + erf(b->x / b->width);
    const double along_y = erf((1 - b->y) / b->width) + erf(b->y / b->width);
    sum += two_pi / 8 * b->width * b->width * along_x * along_y;
  }
  return sum;
}

/* The Gauss rule of 2 x 2 points. */
static double gauss(const struct bump* bumps, struct square square) {
  static const double places[2] = {0.21132486540518712, 0.78867513459481288};
  double sum = 0;
  for (int i = 0; i < 4; ++i) {
    sum += integrand(bumps, square.x + places[i % 2] * square.side, square.y + places[i / 2] * square.side);
  }
  return sum / 4 * square.side * square.side;
}

/* ---- Nodes ---- */

static void* xmalloc(size_t size) {
  void* memory = malloc(size);
  if (memory == NULL) {
    fprintf(stderr, "tree: no memory for %zu bytes; take more ranks\n", size);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return memory;
}

static struct node* plant(struct node* parent, int root, int quarter) {
  struct node* node = xmalloc(sizeof *node);
  node->parent = parent;
  node->quarters = NULL;
  node->integral = 0;
  node->root = (unsigned)root;
  node->level = parent != NULL ? parent->level + 1u : 0u;
  node->quarter = (unsigned)quarter;
  return node;
}

static struct square quarter_of(struct square square, unsigned quarter) {
  const double half = square.side / 2;
  return (struct square){square.x + (quarter & 1) * half, square.y + (quarter >> 1) * half, half};
}

static struct square square_of(const struct node* node) {
  if (node->parent != NULL) return quarter_of(square_of(node->parent), node->quarter);
  const double side = 1.0 / ROOTS_PER_SIDE;
  return (struct square){node->root % ROOTS_PER_SIDE * side, node->root / ROOTS_PER_SIDE * side, side};
}

static void split(struct forest* forest, struct node* node) {
  node->quarters = xmalloc(4 * sizeof *node->quarters);
  for (int i = 0; i < 4; ++i) node->quarters[i] = plant(node, (int)node->root, i);
  ++forest->splits;
  forest->leaves += 3;
}

/* Makes a leaf of the node. */
static void merge(struct forest* forest, struct node* node) {
  if (node->quarters == NULL) return;
  for (int i = 0; i < 4; ++i) {
    merge(forest, node->quarters[i]);
    free(node->quarters[i]);
  }
  free(node->quarters);
  node->quarters = NULL;
  ++forest->merges;
  forest->leaves -= 3;
}

/* The next node of a tree, parents before their quarters; NULL after the last one. */
static struct node* after(struct node* node) {
  if (node->quarters != NULL) return node->quarters[0];
  while (node->parent != NULL && node->quarter == 3) node = node->parent;
  return node->parent != NULL ? node->parent->quarters[node->quarter + 1] : NULL;
}

/* ---- Adapting ---- */

/* Sets the node's integral from finer points and returns by how much the coarse ones miss it, in terms of what is
 * allowed for a square of this size. */
static double estimate(const struct forest* forest, struct node* node) {
  const struct square square = square_of(node);
  const double coarse = gauss(forest->bumps, square);
  node->integral = 0;
  for (unsigned i = 0; i < 4; ++i) node->integral += gauss(forest->bumps, quarter_of(square, i));
  work[node->root] += 20;
  return fabs(node->integral - coarse) / (allowed_miss * square.side * square.side);
}

static bool has_quarters_of_leaves(const struct node* node) {
  for (int i = 0; i < 4; ++i) {
    if (node->quarters[i]->quarters != NULL) return false;
  }
  return true;
}

/* Grows or shrinks the tree below a node, and integrates. Larger squares than those of the shallowest leaves could miss
 * a bump. */
static void adapt(struct forest* forest, struct node* node) {
  if (node->quarters == NULL) {
    const double miss = estimate(forest, node);
    if (node->level == DEEPEST || (node->level >= SHALLOWEST && miss <= 1)) return;
    split(forest, node);
  } else if (node->level >= SHALLOWEST && has_quarters_of_leaves(node) && estimate(forest, node) <= merge_below) {
    merge(forest, node);
    return;
  }
  node->integral = 0;
  for (int i = 0; i < 4; ++i) {
    adapt(forest, node->quarters[i]);
    node->integral += node->quarters[i]->integral;
  }
}

/* ---- Sharing ---- */

/* Plants the own roots that are not there yet, and cuts down those that are no longer own. */
static void take_own(struct forest* forest) {
  for (int root = 0; root < ROOTS; ++root) {
    const bool own = root >= forest->first_root[forest->rank] && root < forest->first_root[forest->rank + 1];
    if (own && forest->roots[root] == NULL) {
      forest->roots[root] = plant(NULL, root, 0);
      ++forest->leaves;
    } else if (!own && forest->roots[root] != NULL) {
      merge(forest, forest->roots[root]);
      free(forest->roots[root]);
      forest->roots[root] = NULL;
      --forest->leaves;
    }
  }
}

/* Cuts the roots so that each rank has about the same work. */
static void share(struct forest* forest) {
  MPI_Allreduce(MPI_IN_PLACE, work, ROOTS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  double total = 0, before = 0;
  for (int root = 0; root < ROOTS; ++root) total += work[root];
  int root = 0;
  for (int rank = 0; rank < forest->ranks; ++rank) {
    forest->first_root[rank] = root;
    while (root < ROOTS && before + work[root] / 2 <= total * (rank + 1) / forest->ranks) before += work[root++];
  }
  forest->first_root[forest->ranks] = ROOTS;
  take_own(forest);
}

/* ---- Events ---- */

static void note(struct events* events, struct event event) {
  struct event* added = xmalloc(sizeof *added);
  *added = event;
  added->next = NULL;
  *events->end = added;
  events->end = &added->next;
  if (++events->count > EVENTS_KEPT) {
    struct event* oldest = events->oldest;
    events->oldest = oldest->next;
    free(oldest);
    --events->count;
  }
}

static uint64_t digest_and_release(struct events* events) {
  uint64_t digest = DIGEST_START;
  while (events->oldest != NULL) {
    struct event* event = events->oldest;
    digest = digest_word(digest, (uint64_t)event->step);
    digest = digest_word(digest, (uint64_t)event->splits << 32 | (uint64_t)event->merges);
    digest = digest_word(digest, (uint64_t)event->leaves);
    events->oldest = event->next;
    free(event);
  }
  return digest;
}

/* ---- The steps ---- */

/* One step. Returns how far the integral is from the exact one. */
static double advance(struct forest* forest, long step) {
  move_bumps(forest->bumps, step);
  forest->splits = forest->merges = 0;
  for (int root = 0; root < ROOTS; ++root) work[root] = 0;

  double integral = 0;
  for (int root = 0; root < ROOTS; ++root) {
    if (forest->roots[root] == NULL) continue;
    adapt(forest, forest->roots[root]);
    integral += forest->roots[root]->integral;
  }
  MPI_Allreduce(MPI_IN_PLACE, &integral, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  note(&forest->events, (struct event){step, forest->splits, forest->merges, forest->leaves, NULL});
  share(forest);
  return fabs(integral - exact_integral(forest->bumps));
}

static void make_forest(struct forest* forest) {
  *forest = (struct forest){.leaves = 0};
  forest->events.end = &forest->events.oldest;
  MPI_Comm_rank(MPI_COMM_WORLD, &forest->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &forest->ranks);
  forest->first_root = xmalloc(((size_t)forest->ranks + 1) * sizeof *forest->first_root);
  for (int rank = 0; rank <= forest->ranks; ++rank) {
    forest->first_root[rank] = (int)((long)ROOTS * rank / forest->ranks);
  }
  forest->roots = xmalloc(ROOTS * sizeof *forest->roots);
  for (int root = 0; root < ROOTS; ++root) forest->roots[root] = NULL;
  take_own(forest);
}

/* The digest of the events and of the trees' shapes and integrals. Counts the leaves on the way. Ends the forest. */
static uint64_t digest_and_release_forest(struct forest* forest, int* leaves) {
  uint64_t digest = digest_and_release(&forest->events);
  *leaves = 0;
  for (int root = 0; root < ROOTS; ++root) {
    struct node* node = forest->roots[root];
    if (node == NULL) continue;
    do {
      digest = digest_word(digest, (uint64_t)node->level << 2 | node->quarter);
      digest = digest_doubles(digest, &node->integral, 1);
      *leaves += node->quarters == NULL;
      node = after(node);
    } while (node != NULL);
    merge(forest, forest->roots[root]);
    free(forest->roots[root]);
  }
  free(forest->roots);
  free(forest->first_root);
  return digest;
}

/* Returns the exit status. */
static int integrate(const struct options* options) {
  struct forest forest;
  make_forest(&forest);
  double largest_error = 0;
  for (long step = 0; step < options->steps; ++step) {
    hold_at(&options->hold, forest.rank, step);
    const double error = advance(&forest, step);
    if (!(error <= largest_error)) largest_error = error; /* true for a NaN as well */
  }

  const int leaves = forest.leaves;
  int counted;
  uint64_t digest = digest_doubles(DIGEST_START, &largest_error, 1);
  digest = digest_word(digest, digest_and_release_forest(&forest, &counted));
  int miscounted = counted != leaves;
  MPI_Allreduce(MPI_IN_PLACE, &miscounted, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return tell("tree", digest_ranks(digest, MPI_COMM_WORLD), largest_error <= tolerance && miscounted == 0,
              "the largest error is %.3e, allowed are %.0e; %d ranks counted their leaves wrongly", largest_error,
              tolerance, miscounted);
}

int main(int argc, char** argv) {
  struct options options = {.steps = 100};
  const struct setting settings[] = {
      {"steps", .number = &options.steps, .least = 0, .most = 1000000000},
      {"hold", .text = &options.hold.file},
      {"hold-at", .list = &options.hold.steps},
  };
  const int operand = parse(argc, argv, settings, sizeof settings / sizeof *settings, &options.usage);
  if (operand < argc) wrong_usage(&options.usage, "'%s' is one argument too many", argv[operand]);

  MPI_Init(&argc, &argv);
  const int status = ends_here(&options.usage) ? explain(&options.usage, "tree", help) : integrate(&options);
  MPI_Finalize();
  return status;
}
