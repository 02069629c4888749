/* Molecular dynamics with linked cells: atoms that start on a lattice in a periodic box, slabs of which belong to the
 * ranks. Each rank writes a log all the time. Neither energy nor momentum nor atoms may be lost.
 *
 * A time step moves the atoms by velocity Verlet, hands those that left their slab over to the neighbours, exchanges
 * copies of the atoms near the edges (ghosts), computes the forces, and writes a line to the log.
 * Live at its start: the options, among them the file name of the log; the number of the step; the slab; the own atoms,
 * with positions, velocities, forces and ids; the potential with its two functions; the sizes of the cells and where
 * their heads are; the log, open for writing, and whether it could be opened; the totals at the start, and how far they
 * were off since. Not live: the heads of the cells' lists, reset in each step; the lists, ghosts and messages, which
 * exist within a step only. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hold.h"
#include "md_atoms.h"
#include "md_cells.h"
#include "md_force.h"
#include "options.h"
#include "result.h"

enum { ACROSS = 9, MAX_LAYERS = 1000000, NAME_LENGTH = 4096 };

static const char help[] =
    "Usage: md [--layers N] [--steps S] [--potential NAME] [--log FILE] [--hold FILE --hold-at K]\n"
    "Moves the atoms of N layers of 9 x 9 atoms and checks that energy, momentum and atoms are conserved.\n"
    "  --layers N        layers of atoms, at least 3 per rank (16)\n"
    "  --steps S         time steps (150)\n"
    "  --potential NAME  lj (Lennard-Jones) or soft (lj)\n"
    "  --log FILE        each rank writes a line per step to FILE.RANK\n"
    "  --hold FILE       at step K (--hold-at K, or several, as 3,7) wait until FILE exists, and remove it\n"
    "Exit status: 0 right, 1 wrong, 2 wrong usage.\n"
    "Examples:\n"
    "  mpirun -n 4 md --steps 1000 --log /tmp/md.log\n"
    "  mpirun -n 2 md --layers 60 --potential soft\n";

static const double spacing = 1.1; /* of the lattice */
static const double start_speed = 1.0;
static const double time_step = 0.002;
static const double energy_tolerance = 2e-4; /* per atom */
static const double momentum_tolerance = 1e-9;

struct options {
  struct usage usage;
  const char *potential, *log;
  long layers, steps;
  struct hold hold;
};

/* Of all ranks. */
struct totals {
  double atoms, energy;
  struct vector momentum;
};

struct system {
  struct slab slab;
  struct atoms atoms;
  struct cells cells;
  struct potential potential;
  FILE* log; /* NULL: none is wanted */
  struct {
    struct totals start;
    double energy, momentum, atoms; /* the largest deviations since */
  } watched;
};

/* ---- The start ---- */

static void make_slab(struct slab* slab, long layers) {
  MPI_Comm_rank(MPI_COMM_WORLD, &slab->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &slab->ranks);
  slab->left = (slab->rank + slab->ranks - 1) % slab->ranks;
  slab->right = (slab->rank + 1) % slab->ranks;
  slab->box = (struct vector){spacing * (double)layers, spacing * ACROSS, spacing * ACROSS};
  slab->begin = slab->box.x * slab->rank / slab->ranks;
  slab->end = slab->box.x * (slab->rank + 1) / slab->ranks;
}

/* A number between -1 and 1 that depends on the atom and the direction only. */
static double any_number(int id, int direction) {
  const uint64_t word = digest_word(digest_word(digest_word(DIGEST_START, (uint64_t)id), (uint64_t)direction), 1);
  return (double)(word >> 11) * 0x1p-52 - 1;
}

/* The atoms of a layer in pairs of opposite velocities, but for the last one, which rests. */
static void add_layer(struct atoms* atoms, const struct slab* slab, int layer) {
  const double x = (layer + 0.02) * spacing; /* near the edges of the slabs, so that atoms soon cross them */
  if (x < slab->begin || x >= slab->end) return;
  for (int i = 0; i < ACROSS * ACROSS; ++i) {
    const int id = layer * ACROSS * ACROSS + i;
    const double sign = i == ACROSS * ACROSS - 1 ? 0 : 1 - 2 * (i % 2);
    struct atom atom = {.position = {x, (i % ACROSS + 0.5) * spacing, (i / ACROSS + 0.5) * spacing}, .id = id};
    atom.velocity.x = sign * start_speed * any_number(id - i % 2, 0);
    atom.velocity.y = sign * start_speed * any_number(id - i % 2, 1);
    atom.velocity.z = sign * start_speed * any_number(id - i % 2, 2);
    add_atom(atoms, &atom);
  }
}

/* Returns whether the log could be opened, or none is wanted. */
static bool open_log(struct system* system, const char* name) {
  system->log = NULL;
  if (name == NULL) return true;
  char full_name[NAME_LENGTH];
  if (snprintf(full_name, sizeof full_name, "%s.%d", name, system->slab.rank) < NAME_LENGTH) {
    system->log = fopen(full_name, "w");
  } else {
    errno = ENAMETOOLONG;
  }
  if (system->log == NULL)
    fprintf(stderr, "md: cannot write the log %s.%d: %s\n", name, system->slab.rank, strerror(errno));
  return system->log != NULL;
}

static void make_system(struct system* system, const struct options* options) {
  *system = (struct system){.potential = *find_potential(options->potential)};
  make_slab(&system->slab, options->layers);
  for (int layer = 0; layer < options->layers; ++layer) add_layer(&system->atoms, &system->slab, layer);
  system->cells = make_cells(&system->slab, system->potential.cutoff);
}

static void release_system(struct system* system) {
  release_cells(&system->cells);
  free(system->atoms.atom);
}

/* ---- The steps ---- */

/* Changes the velocities by the forces of half a step. */
static void kick(struct atoms* atoms) {
  for (struct atom* atom = atoms->atom; atom < atoms->atom + atoms->count; ++atom) {
    atom->velocity.x += time_step / 2 * atom->force.x;
    atom->velocity.y += time_step / 2 * atom->force.y;
    atom->velocity.z += time_step / 2 * atom->force.z;
  }
}

static void drift(struct atoms* atoms) {
  for (int i = 0; i < atoms->count; ++i) {
    struct vector* position = &atoms->atom[i].position;
    const struct vector* velocity = &atoms->atom[i].velocity;
    position->x += time_step * velocity->x;
    position->y += time_step * velocity->y;
    position->z += time_step * velocity->z;
  }
}

/* The totals, given the own potential energy; logs the own part. */
static struct totals measure(const struct system* system, long step, double potential_energy) {
  double kinetic_energy = 0;
  struct vector momentum = {0, 0, 0};
  for (int i = 0; i < system->atoms.count; ++i) {
    const struct vector v = system->atoms.atom[i].velocity;
    kinetic_energy += (v.x * v.x + v.y * v.y + v.z * v.z) / 2;
    momentum.x += v.x;
    momentum.y += v.y;
    momentum.z += v.z;
  }
  if (system->log != NULL) {
    fprintf(system->log, "%ld %d %.9e %.9e\n", step, system->atoms.count, potential_energy, kinetic_energy);
  }

  double sums[] = {system->atoms.count, potential_energy + kinetic_energy, momentum.x, momentum.y, momentum.z};
  MPI_Allreduce(MPI_IN_PLACE, sums, 5, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return (struct totals){.atoms = sums[0], .energy = sums[1], .momentum = {sums[2], sums[3], sums[4]}};
}

/* The larger one, or one that is no number. */
static double larger(double a, double b) { return isnan(a) || a >= b ? a : b; }

static void watch(struct system* system, const struct totals* now) {
  const struct totals* start = &system->watched.start;
  const double x = now->momentum.x - start->momentum.x;
  const double y = now->momentum.y - start->momentum.y;
  const double z = now->momentum.z - start->momentum.z;
  system->watched.energy = larger(system->watched.energy, fabs(now->energy - start->energy) / start->atoms);
  system->watched.momentum = larger(system->watched.momentum, sqrt(x * x + y * y + z * z));
  system->watched.atoms = larger(system->watched.atoms, fabs(now->atoms - start->atoms));
}

static void advance(struct system* system, long step) {
  kick(&system->atoms);
  drift(&system->atoms);
  exchange_atoms(&system->atoms, &system->slab);
  const double energy = compute_forces(&system->atoms, &system->slab, &system->cells, &system->potential);
  kick(&system->atoms);
  const struct totals totals = measure(system, step + 1, energy);
  watch(system, &totals);
}

/* ---- The result ---- */

/* Sums up ids and positions, in any order; returns the digest of the positions in the order in which they are. */
static uint64_t digest_positions(const struct atoms* atoms, double* id_sum) {
  uint64_t digest = DIGEST_START;
  *id_sum = 0;
  for (int i = 0; i < atoms->count; ++i) {
    const struct atom* atom = &atoms->atom[i];
    const double numbers[] = {atom->id, atom->position.x, atom->position.y, atom->position.z};
    digest = digest_doubles(digest, numbers, 4);
    *id_sum += atom->id;
  }
  return digest_ranks(digest, MPI_COMM_WORLD);
}

static int judge(const struct system* system, long layers, bool logged) {
  double sums[2]; /* of the ids, and of the ranks without a complete log */
  const uint64_t checksum = digest_positions(&system->atoms, &sums[0]);
  sums[1] = logged ? 0 : 1;
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);

  const double atoms = (double)layers * ACROSS * ACROSS;
  const bool complete = system->watched.atoms == 0 && sums[0] == atoms * (atoms - 1) / 2;
  const bool conserved = system->watched.energy <= energy_tolerance && system->watched.momentum <= momentum_tolerance;
  return tell(
      "md", checksum, complete && conserved && sums[1] == 0,
      "energy is off by %.3e per atom (allowed: %.0e), momentum by %.3e (%.0e), atoms by %.0f; %.0f logs failed",
      system->watched.energy, energy_tolerance, system->watched.momentum, momentum_tolerance, system->watched.atoms,
      sums[1]);
}

/* Returns the exit status. */
static int simulate(const struct options* options) {
  struct system system;
  make_system(&system, options);
  bool logged = open_log(&system, options->log);
  const double energy = compute_forces(&system.atoms, &system.slab, &system.cells, &system.potential);
  system.watched.start = measure(&system, 0, energy);

  for (long step = 0; step < options->steps; ++step) {
    hold_at(&options->hold, system.slab.rank, step);
    advance(&system, step);
  }

  if (system.log != NULL) {
    const bool failed = ferror(system.log) != 0;
    if (fclose(system.log) != 0 || failed) logged = false;
  }
  const int status = judge(&system, options->layers, logged);
  release_system(&system);
  return status;
}

/* ---- The program ---- */

static void parse_options(int argc, char** argv, struct options* options) {
  const struct setting settings[] = {
      {"layers", .number = &options->layers, .least = 3, .most = MAX_LAYERS},
      {"steps", .number = &options->steps, .least = 0, .most = 1000000000},
      {"potential", .text = &options->potential},
      {"log", .text = &options->log},
      {"hold", .text = &options->hold.file},
      {"hold-at", .list = &options->hold.steps},
  };
  *options = (struct options){.layers = 16, .steps = 150, .potential = "lj"};
  const int operand = parse(argc, argv, settings, sizeof settings / sizeof *settings, &options->usage);
  if (operand < argc) wrong_usage(&options->usage, "'%s' is one argument too many", argv[operand]);
  if (find_potential(options->potential) == NULL) {
    wrong_usage(&options->usage, "--potential wants lj or soft, not '%s'", options->potential);
  }
}

int main(int argc, char** argv) {
  struct options options;
  parse_options(argc, argv, &options);
  MPI_Init(&argc, &argv);
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (options.layers < 3L * ranks) {
    wrong_usage(&options.usage, "%ld layers are too few for %d ranks", options.layers, ranks);
  }
  const int status = ends_here(&options.usage) ? explain(&options.usage, "md", help) : simulate(&options);
  MPI_Finalize();
  return status;
}
