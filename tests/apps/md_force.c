#include "md_force.h"

#include <math.h>
#include <string.h>

/* ---- Potentials ---- */

#define LJ_CUTOFF 2.5
#define SOFT_CUTOFF 1.8

static const double pi = 3.141592653589793;
static const double soft_height = 8;

static double plain_lj_energy(double distance) {
  const double sixth = 1 / (distance * distance * distance * distance * distance * distance);
  return 4 * sixth * (sixth - 1);
}

static double plain_lj_force(double distance) {
  const double sixth = 1 / (distance * distance * distance * distance * distance * distance);
  return 24 * sixth * (2 * sixth - 1) / distance;
}

static double lj_energy(double distance) {
  return plain_lj_energy(distance) - plain_lj_energy(LJ_CUTOFF) + (distance - LJ_CUTOFF) * plain_lj_force(LJ_CUTOFF);
}

static double lj_force(double distance) { return plain_lj_force(distance) - plain_lj_force(LJ_CUTOFF); }

static double soft_energy(double distance) { return soft_height * (1 + cos(pi * distance / SOFT_CUTOFF)); }

static double soft_force(double distance) { return soft_height * pi / SOFT_CUTOFF * sin(pi * distance / SOFT_CUTOFF); }

static const struct potential potentials[] = {
    {"lj", LJ_CUTOFF, lj_energy, lj_force},
    {"soft", SOFT_CUTOFF, soft_energy, soft_force},
};

const struct potential* find_potential(const char* name) {
  const struct potential* found = NULL;
  for (size_t i = 0; i < sizeof potentials / sizeof *potentials && found == NULL; ++i) {
    if (strcmp(potentials[i].name, name) == 0) found = &potentials[i];
  }
  return found;
}

/* ---- Forces ---- */

/* The shortest way from one place to another in a periodic direction. */
static double shortest(double distance, double length) {
  if (distance > length / 2) return distance - length;
  if (distance < -length / 2) return distance + length;
  return distance;
}

/* Adds the force of a particle at `other` to the atom, and returns the energy between the two. */
static double add_pair(struct atom* atom, struct vector other, const struct vector* box,
                       const struct potential* potential) {
  const double x = atom->position.x - other.x;
  const double y = shortest(atom->position.y - other.y, box->y);
  const double z = shortest(atom->position.z - other.z, box->z);
  const double square = x * x + y * y + z * z;
  if (square >= potential->cutoff * potential->cutoff) return 0;
  const double distance = sqrt(square);
  const double factor = potential->force(distance) / distance;
  atom->force.x += factor * x;
  atom->force.y += factor * y;
  atom->force.z += factor * z;
  return potential->energy(distance);
}

/* Adds the forces of all particles around an atom, and returns its share of their energies. */
static double add_neighbours(struct atoms* atoms, int i, const struct ghosts* ghosts, const struct cells* cells,
                             const struct vector* box, const struct potential* potential) {
  struct atom* atom = &atoms->atom[i];
  int heads[27];
  double energy = 0;
  find_heads(cells, atom->position, heads);
  for (int cell = 0; cell < 27; ++cell) {
    for (int other = heads[cell]; other >= 0; other = cells->next[other]) {
      if (other == i) continue;
      const struct vector position =
          other < atoms->count ? atoms->atom[other].position : ghosts->position[other - atoms->count];
      energy += add_pair(atom, position, box, potential) / 2;
    }
  }
  return energy;
}

double compute_forces(struct atoms* atoms, const struct slab* slab, struct cells* cells,
                      const struct potential* potential) {
  struct ghosts ghosts = exchange_ghosts(atoms, slab, potential->cutoff);
  sort_particles(cells, atoms, &ghosts);
  double energy = 0;
  for (int i = 0; i < atoms->count; ++i) {
    atoms->atom[i].force = (struct vector){0, 0, 0};
    energy += add_neighbours(atoms, i, &ghosts, cells, &slab->box, potential);
  }
  forget_particles(cells);
  release_ghosts(&ghosts);
  return energy;
}
