#include "md_atoms.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum side { TO_LEFT, TO_RIGHT };
enum { NUMBERS_PER_ATOM = 7, NUMBERS_PER_GHOST = 3 };

/* Numbers on their way to a neighbour. */
struct parcel {
  int count, room;
  double* numbers;
};

void* xmalloc(size_t count, size_t size) {
  void* memory = malloc(count > 0 ? count * size : 1);
  if (memory == NULL) {
    fprintf(stderr, "md: no memory for %zu elements of %zu bytes; take more ranks or fewer atoms\n", count, size);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return memory;
}

/* The same for memory that grows: twice as much as needed, so that it seldom happens. */
static void* grow(void* memory, int needed, int* room, size_t size) {
  if (needed <= *room) return memory;
  *room = 2 * needed;
  void* grown = realloc(memory, (size_t)*room * size);
  if (grown == NULL) {
    fprintf(stderr, "md: no memory for %d elements of %zu bytes; take more ranks or fewer atoms\n", *room, size);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return grown;
}

void add_atom(struct atoms* atoms, const struct atom* atom) {
  atoms->atom = grow(atoms->atom, atoms->count + 1, &atoms->room, sizeof *atoms->atom);
  atoms->atom[atoms->count++] = *atom;
}

/* ---- Parcels ---- */

static void pack(struct parcel* parcel, double number) {
  parcel->numbers = grow(parcel->numbers, parcel->count + 1, &parcel->room, sizeof *parcel->numbers);
  parcel->numbers[parcel->count++] = number;
}

static void pack_vector(struct parcel* parcel, struct vector vector) {
  pack(parcel, vector.x);
  pack(parcel, vector.y);
  pack(parcel, vector.z);
}

static struct vector unpack_vector(const double* numbers) {
  return (struct vector){numbers[0], numbers[1], numbers[2]};
}

/* Sends a parcel to one side and returns the one that comes from the other side. */
static struct parcel swap_parcels(const struct parcel* sent, const struct slab* slab, enum side side) {
  const int to = side == TO_LEFT ? slab->left : slab->right;
  const int from = side == TO_LEFT ? slab->right : slab->left;
  struct parcel received = {0, 0, NULL};
  MPI_Sendrecv(&sent->count, 1, MPI_INT, to, side, &received.count, 1, MPI_INT, from, side, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  received.numbers = xmalloc((size_t)received.count, sizeof *received.numbers);
  MPI_Sendrecv(sent->numbers, sent->count, MPI_DOUBLE, to, side, received.numbers, received.count, MPI_DOUBLE, from,
               side, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return received;
}

/* ---- Atoms ---- */

static double wrap(double place, double length) {
  if (place < 0) place += length;
  return place >= length ? place - length : place; /* a sum can round to the length */
}

/* Which neighbour's slab an atom is in, or -1 if it stays. Slabs wrap around the box. */
static int leaves_to(const struct slab* slab, double x) {
  if (slab->ranks == 1 || (x >= slab->begin && x < slab->end)) return -1;
  const double beyond = wrap(x - slab->end, slab->box.x);
  return beyond < slab->box.x / slab->ranks ? TO_RIGHT : TO_LEFT;
}

static void pack_atom(struct parcel* parcel, const struct atom* atom) {
  pack(parcel, atom->id);
  pack_vector(parcel, atom->position);
  pack_vector(parcel, atom->velocity);
}

static void unpack_atoms(struct atoms* atoms, const struct parcel* parcel) {
  for (int i = 0; i < parcel->count; i += NUMBERS_PER_ATOM) {
    const double* numbers = &parcel->numbers[i];
    struct atom atom = {.id = (int)numbers[0]};
    atom.position = unpack_vector(numbers + 1);
    atom.velocity = unpack_vector(numbers + 4);
    add_atom(atoms, &atom);
  }
}

void exchange_atoms(struct atoms* atoms, const struct slab* slab) {
  struct parcel parcels[2] = {{0, 0, NULL}, {0, 0, NULL}};
  int i = 0;
  while (i < atoms->count) {
    struct atom* atom = &atoms->atom[i];
    atom->position.x = wrap(atom->position.x, slab->box.x);
    atom->position.y = wrap(atom->position.y, slab->box.y);
    atom->position.z = wrap(atom->position.z, slab->box.z);
    const int side = leaves_to(slab, atom->position.x);
    if (side < 0) {
      ++i;
      continue;
    }
    pack_atom(&parcels[side], atom);
    *atom = atoms->atom[--atoms->count];
  }
  for (int side = TO_LEFT; side <= TO_RIGHT; ++side) {
    struct parcel received = swap_parcels(&parcels[side], slab, (enum side)side);
    unpack_atoms(atoms, &received);
    free(received.numbers);
    free(parcels[side].numbers);
  }
}

/* ---- Ghosts ---- */

/* Packs the atoms near one end of the slab, shifted to where that neighbour sees them. */
static void pack_ghosts(struct parcel* parcel, const struct atoms* atoms, const struct slab* slab, enum side side,
                        double reach) {
  double shift = 0;
  if (side == TO_LEFT && slab->rank == 0) shift = slab->box.x;
  if (side == TO_RIGHT && slab->rank == slab->ranks - 1) shift = -slab->box.x;
  for (int i = 0; i < atoms->count; ++i) {
    struct vector seen = atoms->atom[i].position;
    const double distance = side == TO_LEFT ? seen.x - slab->begin : slab->end - seen.x;
    if (distance > reach) continue;
    seen.x += shift;
    pack_vector(parcel, seen);
  }
}

struct ghosts exchange_ghosts(const struct atoms* atoms, const struct slab* slab, double reach) {
  struct parcel received[2];
  for (int side = TO_LEFT; side <= TO_RIGHT; ++side) {
    struct parcel sent = {0, 0, NULL};
    pack_ghosts(&sent, atoms, slab, (enum side)side, reach);
    received[side] = swap_parcels(&sent, slab, (enum side)side);
    free(sent.numbers);
  }

  struct ghosts ghosts = {.count = (received[0].count + received[1].count) / NUMBERS_PER_GHOST};
  ghosts.position = xmalloc((size_t)ghosts.count, sizeof *ghosts.position);
  int next = 0;
  for (int side = TO_LEFT; side <= TO_RIGHT; ++side) {
    for (int i = 0; i < received[side].count; i += NUMBERS_PER_GHOST) {
      ghosts.position[next++] = unpack_vector(&received[side].numbers[i]);
    }
    free(received[side].numbers);
  }
  return ghosts;
}

void release_ghosts(struct ghosts* ghosts) { free(ghosts->position); }
